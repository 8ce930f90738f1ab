import type { Outcome } from "../verdict/outcome";
import type { Reason, Rejected, Rejection, Verdict } from "../verdict/verdict";

/** What a caller holds while its call to an upstream runs. Give it back with `end`. */
export interface OutboundPermit {
  /** Marks the first byte of the answer; the first call before `end` counts. Never throws. */
  firstByte(): void;
  /**
   * Tells how the call ended. The first call wins, later ones do nothing. Never throws.
   *
   * @defaultValue outcome `success`; what is none of the three counts as `ignored`.
   */
  end(outcome?: Outcome): void;
}

/** The answer of an outbound control. Neither a permit nor a refusal carries limit statuses. */
export type OutboundVerdict<P extends OutboundPermit = OutboundPermit> = Verdict<P>;

const none = Object.freeze([]);

export function outboundAdmitted<P>(permit: P): {
  admitted: true;
  permit: P;
  statuses: readonly [];
} {
  return { admitted: true, permit, statuses: none as readonly [] };
}

/** A refusal without a call. `retryAfterMs` is left out where no wait is known. */
export function outboundRejected(
  reason: Reason,
  retryAfterMs?: number,
  retryable = true,
): Rejected {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const rejection: Rejection = { reason, ...wait, retryable, violated: none };
  return { admitted: false, rejection, statuses: none };
}
