import type { Gate, GateVerdict, LimitStatus, Rejection, Verdict } from "@sluice/core";
import type { AdmissionEvent } from "./admission-event";
import { type AllowedNames, allowedName } from "./facts";

/** What is known of an event when a gate or limits have answered. */
export type Judged = Partial<AdmissionEvent> & Pick<AdmissionEvent, "decision" | "mechanism">;

/** What a gate says of a request. */
export function gateFields(verdict: GateVerdict, gate: Gate): Judged {
  const mechanism = "gate";
  const { maxInFlight: limit } = gate.settings;
  if (!verdict.admitted) {
    const { rejection, inFlight, queued: queueDepth } = verdict;
    return { ...refusedFields(rejection), mechanism, inFlight, queueDepth, limit };
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
  const isShadow = statuses.some(({ wouldReject }) => wouldReject === true);
  if (verdict.admitted) {
    const ofLimit = limitFields(tightestOf(statuses), allowed);
    return { decision: isShadow ? "shadow" : "admitted", mechanism, ...ofLimit };
  }
  const { rejection } = verdict;
  const ofLimit = limitFields(rejection.violated[0] ?? tightestOf(statuses), allowed);
  return { ...refusedFields(rejection), mechanism, ...ofLimit };
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
