import type { AlgorithmSample, LimitAlgorithm } from "../../src/adaptive/limit-algorithm";

/** A sample of 100 ms that ended well with ten in flight at instant 0, but for what is given. */
export function sampleOf(given: Partial<AlgorithmSample> = {}): AlgorithmSample {
  return { nowMs: 0, latencyMs: 100, inFlight: 10, dropped: false, full: false, ...given };
}

/** Feeds samples that are as many in flight as the limit, and returns the limit after each. */
export function feedFull(
  algorithm: LimitAlgorithm,
  count: number,
  given: Partial<AlgorithmSample> = {},
): number[] {
  return Array.from({ length: count }, () => {
    algorithm.onSample(sampleOf({ inFlight: Math.floor(algorithm.limit), ...given }));
    return algorithm.limit;
  });
}
