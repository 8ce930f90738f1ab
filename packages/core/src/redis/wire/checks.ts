import type { FullCost, LimitsTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { CallWriter } from "./call-writer";
import { weightOfAll } from "./weight";

/** Writes the checks of a question (see lua/chain/judge.lua). */
export function writeChecks(
  writer: CallWriter,
  targets: readonly LimitsTarget[],
  cost: FullCost | undefined,
  needsChain: boolean,
): void {
  writer.number(targets.length);
  for (const target of targets) {
    const { limits } = target;
    if (needsChain || limits.some(({ kind }) => kind !== "concurrency")) writer.chain(target);
    else writer.number(0);
    writer.number(limits.length);
    for (const limit of limits) {
      writer.limit(limit);
      writer.number(cost === undefined ? 0 : costFor(limit, cost));
      writer.leases(target, limit);
    }
  }
}

/** How many checks the targets have. */
export function checkCount(targets: readonly LimitsTarget[]): number {
  let count = 0;
  for (const { limits } of targets) count += limits.length;
  return count;
}

export function weightOfTargets(targets: readonly LimitsTarget[]): number {
  let total = 0;
  for (const { limits } of targets) total += weightOfAll(limits);
  return total;
}
