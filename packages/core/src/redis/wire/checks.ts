import type { FullCost, LimitsTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { CheckLimit } from "../../limit/limit";
import type { CallWriter } from "./call-writer";
import { weightOfAll } from "./weight";

/** Writes the checks of a question, three numbers each (see lua/chain/judge.lua). */
export function writeChecks(
  writer: CallWriter,
  targets: readonly LimitsTarget[],
  cost: FullCost,
  isUndoable: boolean,
): void {
  for (let index = 0; index < targets.length; index += 1) {
    const target = targets[index] as LimitsTarget;
    const { limits } = target;
    let chain = isUndoable ? writer.chainPlace(target) : 0;
    for (let place = 0; place < limits.length; place += 1) {
      const limit = limits[place] as CheckLimit;
      const isSlot = limit.kind === "concurrency";
      if (!isSlot && chain === 0) chain = writer.chainPlace(target);
      writer.number(chain);
      writer.limit(limit);
      if (isSlot) writer.leases(target, limit);
      else writer.number(costFor(limit, cost));
    }
  }
}

export function weightOfTargets(targets: readonly LimitsTarget[]): number {
  let total = 0;
  for (const { limits } of targets) total += weightOfAll(limits);
  return total;
}
