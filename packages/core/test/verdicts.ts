import type { LimiterPermit, Peek, Reason, Rejection, Verdict } from "@sluice/core";

/** The permit of a verdict that has to be positive. */
export function expectAdmitted(verdict: Verdict<LimiterPermit>): LimiterPermit {
  if (verdict.admitted) return verdict.permit;
  throw new Error(`expected to be admitted, received ${JSON.stringify(verdict.rejection)}`);
}

/** The rejection of a verdict that has to be negative, for this reason if one is named. */
export function expectRejected(verdict: Verdict<LimiterPermit> | Peek, reason?: Reason): Rejection {
  if (verdict.admitted) {
    throw new Error(`expected a rejection, received ${JSON.stringify(verdict.statuses)}`);
  }
  if (reason !== undefined && verdict.rejection.reason !== reason) {
    throw new Error(`expected ${reason}, received ${JSON.stringify(verdict.rejection)}`);
  }
  return verdict.rejection;
}

/** A verdict without its permit and without a wait that is only a hint, for comparisons. */
export function factsOf(verdict: Verdict<LimiterPermit> | Peek): unknown {
  if (verdict.admitted) return { admitted: true, statuses: verdict.statuses };
  const { retryAfterMs, ...rejection } = verdict.rejection;
  const isHint = rejection.violated.every(({ unit }) => unit === "slots");
  const known = isHint || retryAfterMs === undefined ? {} : { retryAfterMs };
  return { admitted: false, statuses: verdict.statuses, rejection: { ...rejection, ...known } };
}
