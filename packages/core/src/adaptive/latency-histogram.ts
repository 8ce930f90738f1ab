import type { Milliseconds } from "../limit/limit";

/** Two digits: 90 buckets for each power of ten. */
const PER_DECADE = 90;
/** From 0.1 ms up to 10^7 ms, that is 2.8 hours; what is beyond counts as there. */
const LOWEST_EXPONENT = -1;
const DECADES = 8;

/**
 * Latencies by their first two digits, in 11 kB whatever their number. A quantile is the mean of
 * the bucket that it falls into: exact for equal values and for whole milliseconds below 100,
 * within 10 % otherwise.
 */
export class LatencyHistogram {
  readonly #counts = new Uint32Array(DECADES * PER_DECADE);
  readonly #sums = new Float64Array(DECADES * PER_DECADE);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(latencyMs: Milliseconds): void {
    const index = indexOf(latencyMs);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sums[index] = (this.#sums[index] ?? 0) + latencyMs;
    this.#count += 1;
  }

  /** The value below which `share` (0 to 1) of the latencies are; 0 if there are none. */
  quantile(share: number): Milliseconds {
    let left = Math.max(1, Math.ceil(share * this.#count));
    for (let index = 0; index < this.#counts.length; index++) {
      const count = this.#counts[index] ?? 0;
      if (count >= left && count > 0) return (this.#sums[index] ?? 0) / count;
      left -= count;
    }
    return 0;
  }

  clear(): void {
    this.#counts.fill(0);
    this.#sums.fill(0);
    this.#count = 0;
  }
}

function indexOf(latencyMs: Milliseconds): number {
  const lowest = 10 ** LOWEST_EXPONENT;
  if (!(latencyMs > lowest)) return 0;
  const exponent = Math.min(DECADES - 1, Math.floor(Math.log10(latencyMs)) - LOWEST_EXPONENT);
  const digits = Math.floor((latencyMs / 10 ** (exponent + LOWEST_EXPONENT)) * 10 + 1e-9);
  return exponent * PER_DECADE + Math.min(PER_DECADE - 1, Math.max(0, digits - 10));
}
