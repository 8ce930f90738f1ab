import type { Milliseconds } from "@sluice/core";
import { GrowingArray, quantileOf } from "./growing-array";

/** Latencies with the instants at which they were known, in that order. */
export class TimedLatencies {
  readonly #atMs = new GrowingArray();
  readonly #latencyMs = new GrowingArray();

  add(atMs: Milliseconds, latencyMs: Milliseconds): void {
    this.#atMs.add(atMs);
    this.#latencyMs.add(latencyMs);
  }

  /** The quantiles `qs` of what was known from `fromMs` up to, not including, `toMs`. */
  quantiles(fromMs: Milliseconds, toMs: Milliseconds, qs: readonly number[]): readonly number[] {
    const sorted = this.#latencyMs.sorted(this.#firstAt(fromMs), this.#firstAt(toMs));
    return qs.map((q) => quantileOf(sorted, q));
  }

  /** The index of the first latency that was known at `atMs` or later. */
  #firstAt(atMs: Milliseconds): number {
    let low = 0;
    let high = this.#atMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#atMs.at(middle) < atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
