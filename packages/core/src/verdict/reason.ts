import type { Reason } from "./verdict";

/**
 * All reasons, the most telling first: of several violated checks the first one names the refusal.
 */
export const reasonOrder: readonly Reason[] = [
  "cost_exceeds_limit",
  "store_unavailable",
  "window_exhausted",
  "share_exhausted",
  "concurrency_exhausted",
  "queue_full",
  "queue_timeout",
  "evicted",
  "deadline_unreachable",
  "draining",
  "aborted",
  "throttled",
  "retry_budget_exhausted",
  "paused",
];

/** The reason that comes first in {@link reasonOrder}. */
export function foremostReason(a: Reason, b: Reason): Reason {
  return reasonOrder.indexOf(a) <= reasonOrder.indexOf(b) ? a : b;
}
