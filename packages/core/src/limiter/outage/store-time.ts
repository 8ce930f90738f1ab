import type { Milliseconds } from "../../limit/limit";

/**
 * How far a store is taken to be ahead of this process before anything was heard of its clock: a
 * day. A lease that this process keeps must not look over to the store because their clocks differ;
 * one that seems to last too long does no harm, since the store gives it a length of its own.
 */
const UNKNOWN_AHEAD_MS = 86_400_000;

/**
 * How far the store's clock is ahead of this process's, as last seen: leases that are kept here
 * while the store is away have to mean the same there when it is back.
 */
export class StoreTime {
  #aheadMs: number | undefined;

  /** Learns from an answer that just came: what its time was in the store. */
  note(storeNowMs: Milliseconds, nowMs: Milliseconds): void {
    this.#aheadMs = storeNowMs - nowMs;
  }

  /** An instant of this process in the time of the store. */
  toStore(instantMs: Milliseconds): Milliseconds {
    return instantMs + (this.#aheadMs ?? UNKNOWN_AHEAD_MS);
  }
}
