import type { Clock, Store } from "@sluice/core";

/** A kind of store under test, with its state and its time. */
export interface StoreSubject {
  /** All stores that this returns share one state, as those of several processes do. */
  readonly openStore: () => Store;
  /** For the limiters before the store. */
  readonly clock: Clock;
  /** Resolves when at least so many milliseconds have passed by the clock of the stores. */
  readonly pass: (ms: number) => Promise<void>;
  /** Gives up what was opened; called once, when all cases are through. */
  readonly close: () => Promise<void>;
}
