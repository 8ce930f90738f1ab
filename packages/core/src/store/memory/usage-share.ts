import { rulesOf } from "../../engine/rules/rules-of";
import type { DescriptorState, LimitState, PoolState } from "../../engine/state";
import type { Milliseconds } from "../../limit/limit";

/**
 * How much of its tightest limit an entry has used, 0 to 1 and above: what would be forgotten if it
 * were evicted. An exhausted entry has 1 or more.
 */
export function usageShare(chain: DescriptorState, nowMs: Milliseconds): number {
  let largest = 0;
  for (let node = chain; node !== null; node = node.next) {
    largest = Math.max(largest, shareOf(node, nowMs));
  }
  return largest;
}

function shareOf(node: LimitState, nowMs: Milliseconds): number {
  if (node.limit.kind === "operations") return 0;
  if (node.limit.kind === "pool-unit") return saturationOf(node as PoolState);
  const used = rulesOf(node.limit).used(node.limit, node as never, nowMs);
  return node.limit.max === 0 ? 0 : used / node.limit.max;
}

/** The highest over the units of a pool. */
function saturationOf({ limit, used }: PoolState): number {
  const shares = limit.maxes.map((max, place) => (max === 0 ? 0 : (used[place] as number) / max));
  return Math.max(...shares);
}

/** Whether the entry holds a lease, live or not yet found expired. */
export function holdsLeases(chain: DescriptorState): boolean {
  for (let node = chain; node !== null; node = node.next) {
    if (node.limit.kind === "concurrency") return true;
  }
  return false;
}
