import type { Cost } from "./question";

/**
 * What an admitted caller holds: the units it reserved and the slots it took. Give it back exactly
 * once, by `settle`, `release` or `refund`; each closes the whole permit, the first one wins, and
 * none throws because of the store. While it is open its leases renew themselves.
 */
export interface LimiterPermit {
  /** Names the operation in events and leases; unique over all processes. */
  readonly id: string;
  /**
   * Aborts when a lease of this permit expired before it could be renewed: another caller may hold
   * the slot by now. Aborts at most once; never after the permit was closed.
   */
  readonly lost: AbortSignal;
  /** Whether the permit was closed. */
  readonly isClosed: boolean;
  /**
   * Served, at this actual cost: corrects each named unit from what was reserved. Units that are
   * not named keep their reservation. Resolves when the store has answered or has given up.
   *
   * @throws PermitStateError (as a rejected promise) if a cost is not a non-negative integer or a
   *   unit is not declared; the permit stays open.
   */
  settle(actual: Cost): Promise<void>;
  /** Served; the reservation stands. Frees the slots. */
  release(): Promise<void>;
  /** Not served: takes the charge back in full and frees the slots. */
  refund(): Promise<void>;
  /**
   * Notes what the request used, for whoever ends the response; no I/O, the last note wins.
   *
   * @throws PermitStateError as `settle` does.
   */
  usage(actual: Cost): void;
  /** Asks whoever ends the response to refund instead of settling or releasing. */
  refundAtEnd(): void;
  /** Whether a usage was noted or a refund asked for. */
  readonly hasNotes: boolean;
  /**
   * Closes the permit by what was noted: refunds if asked to, else settles the usage, else
   * releases.
   */
  finish(): Promise<void>;
}
