/** The smallest value that at least `share` (0 to 1) of the values do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const inOrder = [...values].sort((a, b) => a - b);
  const index = Math.max(0, Math.ceil(share * inOrder.length) - 1);
  return inOrder[index] ?? Number.NaN;
}
