/** Where repeated measurements lie. */
export interface Spread {
  readonly min: number;
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** Of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    min: at(sorted, 0),
    lowerQuartile: at(sorted, 0.25),
    median: at(sorted, 0.5),
    upperQuartile: at(sorted, 0.75),
    max: at(sorted, 1),
  };
}

/**
 * The value below which the share `rank` of the sorted values lies, between neighbours in
 * proportion.
 */
function at(sorted: readonly number[], rank: number): number {
  const place = (sorted.length - 1) * rank;
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
