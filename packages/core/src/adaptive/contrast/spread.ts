import type { LatencyMoments } from "./latency-moments";

/** Samples that the spread is about; older ones are forgotten. */
const MEMORY = 300;
/** Beyond this a heavier tail changes nothing: the wait for it would never end. */
const VARIANCE_MAX = 9;

/**
 * How much latencies scatter: their relative variance, pooled over the last few hundred samples.
 * A handful of samples cannot tell by itself: five short ones in a row look like no scatter at all.
 */
export class Spread {
  /** Variance / mean². It starts as that of an exponential distribution, which soon wears off. */
  #variance = 1;
  #weight = 3;

  add(window: LatencyMoments): void {
    const share = Math.min(0.5, window.count / (window.count + this.#weight));
    this.#variance += share * (Math.min(VARIANCE_MAX, window.relativeVariance) - this.#variance);
    this.#weight = Math.min(MEMORY, this.#weight + window.count);
  }

  get variance(): number {
    return this.#variance;
  }

  /** Standard deviation / mean. */
  get deviation(): number {
    return Math.sqrt(this.#variance);
  }

  /** The relative standard error of a mean of `count` samples, above 0. */
  errorOf(count: number): number {
    return Math.sqrt((this.#variance + 1 / (count + 3)) / Math.max(1, count));
  }

  /** How many samples make a mean that is good to about a tenth: 12 to 150. */
  get samplesNeeded(): number {
    return Math.min(150, 12 + 80 * this.#variance);
  }
}

/** How far to go to what a mean of this relative error says: all the way at 0, half at 0.2. */
export function trustAt(error: number): number {
  return 1 / (1 + (error / 0.2) ** 2);
}
