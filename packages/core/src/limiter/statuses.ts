import type { Descriptor } from "../descriptor/descriptor";
import type { FullCost } from "../engine/command";
import { costFor } from "../engine/cost";
import type { CheckReply } from "../engine/reply";
import { canNeverPass } from "../engine/rules/rules";
import type { Limit, Milliseconds } from "../limit/limit";
import { foremostReason } from "../verdict/reason";
import type { LimitStatus, Reason, Rejection } from "../verdict/verdict";

/** The statuses of a question, in its order, from the replies of the store. */
export function statusesOf(
  descriptors: readonly Descriptor[],
  checks: readonly CheckReply[],
): LimitStatus[] {
  const statuses: LimitStatus[] = [];
  for (let index = 0; index < descriptors.length; index += 1) {
    const descriptor = descriptors[index] as Descriptor;
    for (let place = 0; place < descriptor.limits.length; place += 1) {
      const check = checks[statuses.length] as CheckReply;
      statuses.push(statusOf(descriptor, descriptor.limits[place] as Limit, check));
    }
  }
  return statuses;
}

function statusOf(descriptor: Descriptor, limit: Limit, check: CheckReply): LimitStatus {
  const { passes, used, resetAfterMs, retryAfterMs } = check;
  const isShadow = limit.mode === "shadow";
  const status: LimitStatus = {
    descriptor,
    name: limit.name,
    unit: limit.unit,
    max: limit.max,
    used,
    remaining: Math.max(0, limit.max - used),
    resetAfterMs,
    admitted: passes || isShadow,
    source: "store",
  };
  if (passes) return status;
  if (isShadow) return { ...status, wouldReject: true };
  return retryAfterMs === undefined ? status : { ...status, retryAfterMs };
}

/**
 * The rejection of a question: the foremost reason, the longest exact wait, or the hint where no wait
 * is known exactly; no wait if any violated check can never pass.
 */
export function rejectionOf(
  statuses: readonly LimitStatus[],
  cost: FullCost,
  hintMs: () => Milliseconds,
): Rejection {
  const violated = statuses.filter(({ admitted }) => !admitted);
  const reasons = violated.map((status) => reasonOf(status, cost));
  const reason = reasons.reduce(foremostReason);
  if (reasons.includes("cost_exceeds_limit")) return { reason, retryable: false, violated };
  const waits = violated.map((status) => status.retryAfterMs ?? 0);
  const longestMs = Math.max(...waits);
  return { reason, retryAfterMs: longestMs > 0 ? longestMs : hintMs(), retryable: true, violated };
}

function reasonOf(status: LimitStatus, cost: FullCost): Reason {
  const limit = limitOf(status);
  if (canNeverPass(costFor(limit, cost), limit.max)) return "cost_exceeds_limit";
  return limit.kind === "concurrency" ? "concurrency_exhausted" : "window_exhausted";
}

function limitOf(status: LimitStatus): Limit {
  return status.descriptor.limits.find(({ name }) => name === status.name) as Limit;
}
