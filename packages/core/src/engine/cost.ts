import type { CheckLimit } from "../limit/limit";
import type { FullCost } from "./command";

/** What a question costs a limit: its unit's share of the cost; a slot is always 1. */
export function costFor(limit: CheckLimit, cost: FullCost): number {
  return limit.kind === "concurrency" ? 1 : (cost[limit.unit] as number);
}
