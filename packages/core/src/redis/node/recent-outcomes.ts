import type { Milliseconds } from "../../limit/limit";

/** How many slices of 100 ms are counted together: the last second, to a slice. */
const SLICES = 10;
const SLICE_MS = 100;

/** Calls that have to be there before their share of failures says anything. */
const CALLS_MIN = 20;

/** How the calls of the last second ended, in slices of 100 ms. Never throws. */
export class RecentOutcomes {
  readonly #successes = new Array<number>(SLICES).fill(0);
  readonly #failures = new Array<number>(SLICES).fill(0);
  #newestSlice = 0;

  add(outcome: "success" | "failure", nowMs: Milliseconds): void {
    this.#moveTo(Math.floor(nowMs / SLICE_MS));
    const counts = outcome === "success" ? this.#successes : this.#failures;
    const at = this.#newestSlice % SLICES;
    counts[at] = (counts[at] ?? 0) + 1;
  }

  /** Whether there were at least 20 calls of which at least half failed, as of the last `add`. */
  isMostlyFailure(): boolean {
    const failures = sumOf(this.#failures);
    const calls = failures + sumOf(this.#successes);
    return calls >= CALLS_MIN && failures * 2 >= calls;
  }

  clear(): void {
    this.#successes.fill(0);
    this.#failures.fill(0);
  }

  #moveTo(slice: number): void {
    const steps = Math.min(slice - this.#newestSlice, SLICES);
    for (let step = 0; step < steps; step += 1) {
      this.#successes[(slice - step) % SLICES] = 0;
      this.#failures[(slice - step) % SLICES] = 0;
    }
    this.#newestSlice = slice;
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
