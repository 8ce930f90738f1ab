import type { Reason } from "../verdict/verdict";
import { answerKind } from "./answer-kind";
import type { RenderConfig } from "./render-options";

/**
 * The HTTP status for a reason, or null if there is nothing to answer (`aborted` and the outbound
 * reasons). Pure; never throws.
 *
 * @remarks RFC 6585 section 4 for 429, RFC 9110 for 413 and 503. Draining and a store that cannot
 * be asked stay 503 whatever `gateStatus` says: they are no fault of the caller's pace.
 */
export function statusCodeOf(
  reason: Reason,
  config: Pick<RenderConfig, "costExceedsLimitStatus" | "gateStatus">,
): number | null {
  const kind = answerKind(reason);
  switch (kind) {
    case "quota":
      return 429;
    case "impossible":
      return config.costExceedsLimitStatus;
    case "overload":
      return config.gateStatus;
    case "draining":
    case "unavailable":
      return 503;
    case "none":
      return null;
    default:
      return kind satisfies never;
  }
}
