import type { Milliseconds } from "../limit/limit";

/** How many holds the mean is about; also how many it weighs alike before it starts to forget. */
const MEMORY = 32;

/**
 * How long a slot is held on average, and what that says about a place in the queue.
 *
 * The mean over the first 32 holds, then an exponentially weighted one: mean += (hold - mean) / 32.
 * Starting as a plain mean keeps the very first hold from dominating; forgetting afterwards follows
 * a workload that changes. Holds count when they end, whatever their outcome, since a waiter gets
 * the slot either way.
 */
export class HoldTime {
  #meanMs = 0;
  #count = 0;

  add(heldMs: Milliseconds): void {
    if (this.#count < MEMORY) this.#count += 1;
    this.#meanMs += (heldMs - this.#meanMs) / this.#count;
  }

  /** `undefined` until the first hold has ended. Not an integer. */
  get meanMs(): number | undefined {
    return this.#count === 0 ? undefined : this.#meanMs;
  }

  /**
   * How long the `place`-th in the queue (from 1) waits if `cap` slots are busy: slots come free
   * every mean / cap milliseconds. 0 as long as nothing is known, so that a guess refuses nobody.
   */
  predictedWaitMs({ place, cap }: { readonly place: number; readonly cap: number }): number {
    return (place * this.#meanMs) / cap;
  }
}
