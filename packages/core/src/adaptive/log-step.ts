/** The step of Vegas: ⌊log10 limit⌋, but at least 1. */
export function logStep(limit: number): number {
  return Math.max(1, Math.floor(Math.log10(Math.max(1, Math.floor(limit)))));
}
