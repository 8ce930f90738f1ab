import type { LimitsTarget } from "../../engine/command";

/** How many checks the targets have. */
export function checkCount(targets: readonly LimitsTarget[]): number {
  let count = 0;
  for (const { limits } of targets) count += limits.length;
  return count;
}
