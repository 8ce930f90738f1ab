import type { Milliseconds } from "../../limit/limit";

/**
 * How far the store's clock is ahead of this process's, as last seen: leases that are kept here
 * while the store is away have to mean the same there when it is back. Late by as long as an answer
 * takes, so that no lease seems to last longer than it does.
 */
export class StoreTime {
  #aheadMs = 0;

  /** Learns from an answer that just came: what its time was in the store. */
  note(storeNowMs: Milliseconds, nowMs: Milliseconds): void {
    this.#aheadMs = storeNowMs - nowMs;
  }

  toStore(instantMs: Milliseconds): Milliseconds {
    return instantMs + this.#aheadMs;
  }

  toLocal(instantMs: Milliseconds): Milliseconds {
    return instantMs - this.#aheadMs;
  }
}
