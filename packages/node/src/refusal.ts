import type { Reason } from "@sluice/core";
import type { RenderedAnswer } from "@sluice/core/http";
import { over, type Step } from "./adapter";
import { closeAfterwards } from "./closing";
import type { NodeRequest, NodeResponse } from "./message";
import { hasEnded } from "./response-end";
import { abandon } from "./send-answer";

/**
 * The step for a refused request. Without an answer to give (null), or when another one has begun,
 * the response is broken off: the client must not wait for what will not come.
 */
export function refusal(
  answer: RenderedAnswer | null,
  reason: Reason,
  req: NodeRequest,
  res: NodeResponse,
): Step {
  if (hasEnded(res)) return over;
  if (answer === null || res.headersSent) {
    abandon(res);
    return over;
  }
  if (reason === "draining") closeAfterwards(req, res);
  return { type: "answer", answer };
}
