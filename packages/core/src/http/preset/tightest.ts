import type { LimitStatus } from "../../verdict/verdict";
import type { ShownLimit } from "../shown-limits";

/**
 * The tightest status of each group, groups in the order of their first status. The statuses of a
 * group must be of one unit, so that what remains can be compared.
 */
export function tightestBy(
  shown: readonly ShownLimit[],
  groupOf: (status: LimitStatus) => string | undefined,
): ReadonlyMap<string, LimitStatus> {
  const tightest = new Map<string, LimitStatus>();
  for (const { status } of shown) {
    const group = groupOf(status);
    if (group === undefined) continue;
    const best = tightest.get(group);
    if (best === undefined || isTighter(status, best, remainingOf)) tightest.set(group, status);
  }
  return tightest;
}

const remainingOf = (status: LimitStatus) => status.remaining;

/**
 * Whether `a` binds harder than `b`: violated before passing, of two violated ones the longer wait,
 * else the smaller of what is left by `leftOf`.
 */
export function isTighter(
  a: LimitStatus,
  b: LimitStatus,
  leftOf: (status: LimitStatus) => number,
): boolean {
  if (a.admitted !== b.admitted) return !a.admitted;
  if (!a.admitted && a.retryAfterMs !== b.retryAfterMs) {
    return (a.retryAfterMs ?? 0) > (b.retryAfterMs ?? 0);
  }
  return leftOf(a) < leftOf(b);
}
