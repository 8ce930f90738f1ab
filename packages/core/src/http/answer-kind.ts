import type { Reason } from "../verdict/verdict";

/**
 * What sort of HTTP answer a reason gets: a used-up limit, a cost that can never pass, an
 * overloaded process, a process that is going away, a store that cannot be asked, or no answer at
 * all.
 */
export type AnswerKind = "quota" | "impossible" | "overload" | "draining" | "unavailable" | "none";

const kindByReason: Readonly<Record<Reason, AnswerKind>> = {
  cost_exceeds_limit: "impossible",
  store_unavailable: "unavailable",
  window_exhausted: "quota",
  share_exhausted: "quota",
  concurrency_exhausted: "quota",
  queue_full: "overload",
  queue_timeout: "overload",
  evicted: "overload",
  deadline_unreachable: "overload",
  draining: "draining",
  // Nobody is there to read an answer.
  aborted: "none",
  // Outbound refusals are values for the caller of an upstream, not answers to a client.
  throttled: "none",
  retry_budget_exhausted: "none",
  paused: "none",
};

/** The sort of answer for a reason. Pure; never throws. */
export function answerKind(reason: Reason): AnswerKind {
  return kindByReason[reason];
}
