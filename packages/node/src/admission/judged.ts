import {
  type Gate,
  type GateVerdict,
  type LimitStatus,
  type Milliseconds,
  type Reason,
  type Rejection,
  reasonOrder,
  type Verdict,
} from "@sluice/core";
import type { AdmissionEvent } from "./admission-event";
import { type AllowedNames, allowedName } from "./facts";

/** What is known of an event when a gate or limits have answered. */
export type Judged = Partial<AdmissionEvent> & Pick<AdmissionEvent, "decision" | "mechanism">;

/** What a gate says of a request; `tookMs` is how long it took to say so. */
export function gateFields(verdict: GateVerdict, gate: Gate, tookMs: Milliseconds): Judged {
  const mechanism = "gate";
  const { maxInFlight: limit } = gate.settings;
  if (!verdict.admitted) {
    const { rejection, inFlight, queued: queueDepth } = verdict;
    const counts = { mechanism, inFlight, queueDepth, queueWaitMs: tookMs, limit } as const;
    return { ...refusedFields(rejection), ...counts };
  }
  const { waitedMs: queueWaitMs, wouldReject: reason } = verdict.permit;
  const { inFlight, queued: queueDepth } = gate.stats();
  const counts = { mechanism, inFlight, queueDepth, queueWaitMs, limit } as const;
  if (reason === undefined) return { decision: "admitted", ...counts };
  return { decision: "shadow", reason, ...counts };
}

/** What limits say of a request, with the names that may be written. */
export function limitsFields(verdict: Verdict<unknown>, allowed: AllowedNames): Judged {
  const mechanism = "limits";
  const { statuses } = verdict;
  if (!verdict.admitted) {
    const { rejection } = verdict;
    const ofLimit = limitFields(refusingOf(rejection) ?? tightestOf(statuses), allowed);
    return { ...refusedFields(rejection), mechanism, ...ofLimit };
  }
  const unenforced = foremostOf(statuses.filter(({ wouldReject }) => wouldReject === true));
  if (unenforced !== undefined) {
    const reason = reasonOf(unenforced);
    return { decision: "shadow", reason, mechanism, ...limitFields(unenforced, allowed) };
  }
  return { decision: "admitted", mechanism, ...limitFields(tightestOf(statuses), allowed) };
}

/** Of the checks that refused the first that gives the reason. */
function refusingOf({ reason, violated }: Rejection): LimitStatus | undefined {
  const gives =
    reason === "cost_exceeds_limit"
      ? ({ retryAfterMs }: LimitStatus) => retryAfterMs === undefined
      : (status: LimitStatus) => reasonOf(status) === reason;
  return violated.find(gives) ?? violated[0];
}

/** The first of those whose reason comes before the others'. */
function foremostOf(statuses: readonly LimitStatus[]): LimitStatus | undefined {
  const rank = (status: LimitStatus) => reasonOrder.indexOf(reasonOf(status));
  return statuses.reduce<LimitStatus | undefined>(
    (first, each) => (first === undefined || rank(each) < rank(first) ? each : first),
    undefined,
  );
}

/** Why a check refuses, as if its cost could pass at all: what that was, a status does not say. */
function reasonOf({ name, descriptor, pool }: LimitStatus): Reason {
  if (pool !== undefined) return pool.ceiling === "share" ? "share_exhausted" : "window_exhausted";
  const limit = descriptor.limits.find((each) => each.name === name);
  return limit?.kind === "concurrency" ? "concurrency_exhausted" : "window_exhausted";
}

function limitFields(status: LimitStatus | undefined, allowed: AllowedNames) {
  if (status === undefined) return {};
  const { name, max, descriptor } = status;
  const limit = descriptor.limits.find((each) => each.name === name);
  const windowMs = limit !== undefined && "windowMs" in limit ? limit.windowMs : undefined;
  return {
    limit: max,
    limitName: allowedName(allowed, "limitName", name) ?? "",
    kind: allowedName(allowed, "kind", descriptor.kind) ?? "",
    ...(windowMs !== undefined && { windowMs }),
  };
}

function refusedFields({ reason, retryable, retryAfterMs }: Rejection) {
  const refused = { decision: "rejected", reason, retryable } as const;
  return retryAfterMs === undefined ? refused : { ...refused, retryAfterMs };
}

/** The limit with the smallest part of its `max` left, the first of several. */
function tightestOf(statuses: readonly LimitStatus[]): LimitStatus | undefined {
  const left = ({ remaining, max }: LimitStatus) => (max === 0 ? 0 : remaining / max);
  return statuses.reduce<LimitStatus | undefined>(
    (least, each) => (least === undefined || left(each) < left(least) ? each : least),
    undefined,
  );
}
