import type { FullCost, LimitsTarget } from "../engine/command";
import { costFor } from "../engine/cost";
import type { CheckReply, PeekReply } from "../engine/reply";
import { fits } from "../engine/rules/rules";
import type { CheckLimit, PoolUnitLimit } from "../limit/limit";
import { DEFAULT_CLASS } from "../limit/priority-pool";
import type { LimitStatus, PoolStatus } from "../verdict/verdict";

/**
 * The statuses of a question with what the units of pools have besides; the very same if it asks no
 * pool.
 */
export function withPools(
  statuses: readonly LimitStatus[],
  targets: readonly LimitsTarget[],
  { checks, localParts }: PeekReply,
  cost: FullCost,
): readonly LimitStatus[] {
  let check = 0;
  let result = statuses;
  for (const { limits } of targets) {
    const first = check;
    for (const limit of limits) {
      if (limit.kind === "pool-unit") {
        const saturation = saturationOf(limit, limits, statuses, first);
        const status = statuses[check] as LimitStatus;
        const judgedBy = (localParts?.[check] ?? limit) as PoolUnitLimit;
        const pool = poolStatusOf(judgedBy, status, checks[check] as CheckReply, saturation, cost);
        result = result.with(check, { ...status, pool });
      }
      check += 1;
    }
  }
  return result;
}

/** The highest use over the units of a pool, as a part of their capacity. */
function saturationOf(
  { name }: PoolUnitLimit,
  limits: readonly CheckLimit[],
  statuses: readonly LimitStatus[],
  first: number,
): number {
  let highest = 0;
  for (const [place, limit] of limits.entries()) {
    if (limit.kind !== "pool-unit" || limit.name !== name) continue;
    const { used, max } = statuses[first + place] as LimitStatus;
    if (max > 0) highest = Math.max(highest, used / max);
  }
  return highest;
}

function poolStatusOf(
  limit: PoolUnitLimit,
  { used, max }: LimitStatus,
  { passes, classUsed = 0 }: CheckReply,
  saturation: number,
  cost: FullCost,
): PoolStatus {
  const pool = {
    class: limit.classes[limit.ownClass] ?? DEFAULT_CLASS,
    guaranteed: limit.guaranteed[limit.ownClass] ?? 0,
    used: classUsed,
    saturation,
  };
  if (passes) return pool;
  return { ...pool, ceiling: fits(used, costFor(limit, cost), max) ? "share" : "capacity" };
}
