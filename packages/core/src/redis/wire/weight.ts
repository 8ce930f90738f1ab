import type { LimitsTarget } from "../../engine/command";
import type { CheckLimit } from "../../limit/limit";

/**
 * What judging and charging a limit costs the server, in units of one fixed window (about 10
 * microseconds). A sliding log reads and writes all its entries: about 50 of them cost one unit. A
 * unit of a pool looks at every class.
 */
export function weightOf(limit: CheckLimit): number {
  switch (limit.kind) {
    case "sliding-log":
      return 1 + limit.max / 50;
    case "sliding-window":
      return 1 + limit.buckets / 20;
    case "pool-unit":
      return 1.5 + limit.classes.length / 10;
    default:
      return 1;
  }
}

/** The sum over limits. */
function weightOfAll(limits: readonly CheckLimit[]): number {
  let total = 0;
  for (const limit of limits) total += weightOf(limit);
  return total;
}

/** The sum over all limits of all targets. */
export function weightOfTargets(targets: readonly LimitsTarget[]): number {
  let total = 0;
  for (const { limits } of targets) total += weightOfAll(limits);
  return total;
}
