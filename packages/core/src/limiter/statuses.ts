import type { Descriptor } from "../descriptor/descriptor";
import type { FullCost, LimitsTarget } from "../engine/command";
import { costFor } from "../engine/cost";
import type { CheckReply } from "../engine/reply";
import { neverPasses } from "../engine/rules/pool-unit";
import { canNeverPass } from "../engine/rules/rules";
import type {
  CheckLimit,
  DescriptorLimit,
  Milliseconds,
  PoolUnitLimit,
  PriorityPoolLimit,
} from "../limit/limit";
import { classOf, poolUnitsOf } from "../limit/pool-units";
import { foremostReason } from "../verdict/reason";
import type { LimitStatus, Reason, Rejection } from "../verdict/verdict";

/** The statuses of a question, in its order, from the replies of the store. */
export function statusesOf(
  descriptors: readonly Descriptor[],
  targets: readonly LimitsTarget[],
  checks: readonly CheckReply[],
): LimitStatus[] {
  const statuses = new Array<LimitStatus>(checks.length);
  let check = 0;
  for (let index = 0; index < descriptors.length; index += 1) {
    const descriptor = descriptors[index] as Descriptor;
    // Not those of the descriptor: a pool is a limit there, and a limit per unit here.
    const { limits } = targets[index] as LimitsTarget;
    for (let place = 0; place < limits.length; place += 1) {
      const reply = checks[check] as CheckReply;
      statuses[check] = statusOf(descriptor, limits[place] as CheckLimit, reply);
      check += 1;
    }
  }
  return statuses;
}

/**
 * The statuses of a question that was answered while the store was away: with the part of each
 * limit that this process had, and what it knows of its use. What the fleet has left, nobody knows.
 */
export function localStatusesOf(
  statuses: readonly LimitStatus[],
  localParts: readonly CheckLimit[],
): LimitStatus[] {
  return statuses.map((status, index) => {
    const { max } = localParts[index] as CheckLimit;
    return { ...status, max, remaining: Math.max(0, max - status.used), source: "local" };
  });
}

/** Written out three times, since every verdict makes some and copying an object is not cheap. */
function statusOf(descriptor: Descriptor, limit: CheckLimit, check: CheckReply): LimitStatus {
  const { name, unit, max } = limit;
  const { used, resetAfterMs, retryAfterMs } = check;
  const remaining = used < max ? max - used : 0;
  const source = "store";
  if (check.passes) {
    const admitted = true;
    return { descriptor, name, unit, max, used, remaining, resetAfterMs, admitted, source };
  }
  const admitted = limit.mode === "shadow";
  const status = { descriptor, name, unit, max, used, remaining, resetAfterMs, admitted, source };
  if (admitted) return Object.assign(status, { wouldReject: true }) as LimitStatus;
  if (retryAfterMs === undefined) return status as LimitStatus;
  return {
    descriptor,
    name,
    unit,
    max,
    used,
    remaining,
    resetAfterMs,
    retryAfterMs,
    admitted,
    source,
  };
}

/**
 * The rejection of a question: the foremost reason, the longest exact wait, or the hint where no
 * wait is known exactly; no wait if any violated check can never pass.
 */
export function rejectionOf(
  statuses: readonly LimitStatus[],
  cost: FullCost,
  hintMs: () => Milliseconds,
): Rejection {
  const violated: LimitStatus[] = [];
  let reason: Reason | undefined;
  let longestMs = 0;
  for (let index = 0; index < statuses.length; index += 1) {
    const status = statuses[index] as LimitStatus;
    if (status.admitted) continue;
    violated.push(status);
    longestMs = Math.max(longestMs, status.retryAfterMs ?? 0);
    const own = reasonOf(status, cost);
    reason = reason === undefined ? own : foremostReason(reason, own);
  }
  // Only a question with a violated check is rejected.
  const foremost = reason as Reason;
  if (foremost === "cost_exceeds_limit") return { reason: foremost, retryable: false, violated };
  const retryAfterMs = longestMs > 0 ? longestMs : hintMs();
  return { reason: foremost, retryAfterMs, retryable: true, violated };
}

function reasonOf(status: LimitStatus, cost: FullCost): Reason {
  const { name, descriptor, pool } = status;
  const limit = descriptor.limits.find((each) => each.name === name) as DescriptorLimit;
  if (limit.kind === "priority-pool") {
    const unit = poolUnitOf(limit, status);
    if (neverPasses(unit, costFor(unit, cost))) return "cost_exceeds_limit";
    return pool?.ceiling === "share" ? "share_exhausted" : "window_exhausted";
  }
  if (canNeverPass(costFor(limit, cost), limit.max)) return "cost_exceeds_limit";
  return limit.kind === "concurrency" ? "concurrency_exhausted" : "window_exhausted";
}

function poolUnitOf(pool: PriorityPoolLimit, status: LimitStatus): PoolUnitLimit {
  const units = poolUnitsOf(pool, classOf(pool, status.pool?.class));
  return units.find(({ unit }) => unit === status.unit) as PoolUnitLimit;
}
