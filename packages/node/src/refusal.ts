import { RejectedError } from "@sluice/core";
import {
  type AnyRejected,
  HttpRejectedError,
  type RenderedAnswer,
  renderRejection,
} from "@sluice/core/http";
import { failure, type LateStep, over, type Step } from "./adapter";
import { closeAfterwards } from "./closing";
import type { NodeRequest, NodeResponse } from "./message";
import { markIgnored } from "./outcome";
import type { RejectionsConfig } from "./rejections-options";
import { hasEnded } from "./response-end";
import { abandon } from "./send-answer";

/**
 * Header fields that speak of one body. Those before may have set them for the answer that they
 * expected; with a refusal they would be untrue, or have it kept in caches.
 */
export const headersOfBodies: readonly string[] = [
  "accept-ranges",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-range",
  "etag",
  "expires",
  "last-modified",
  "transfer-encoding",
];

/**
 * The step for a refused request. Without an answer to give, or when another one has begun, the
 * response is broken off: the client must not wait for what will not come.
 */
export function refusal(
  rejected: AnyRejected,
  config: RejectionsConfig,
  req: NodeRequest,
  res: NodeResponse,
): Step {
  if (hasEnded(res)) return over;
  try {
    const answer = renderRejection(rejected, config.render);
    if (answer !== null && !res.headersSent) return stepWith(answer, rejected, config, req, res);
  } catch (error) {
    return failure(error);
  }
  abandon(res);
  return over;
}

/**
 * The step for what came after an admitted request has thrown: the rejection, if it was a
 * `RejectedError` of `limiter.run`. Null if it is to be treated as any other error, since it is
 * one, or nothing can be answered to it. Never throws.
 */
export function thrownRejection(
  thrown: unknown,
  config: RejectionsConfig,
  req: NodeRequest,
  res: NodeResponse,
): LateStep | null {
  if (!(thrown instanceof RejectedError) || res.headersSent || hasEnded(res)) return null;
  try {
    const answer = renderRejection(thrown.verdict, config.render);
    if (answer === null) return null;
    markIgnored(res);
    return stepWith(answer, thrown.verdict, config, req, res);
  } catch (error) {
    return failure(error);
  }
}

function stepWith(
  answer: RenderedAnswer,
  rejected: AnyRejected,
  { rejections }: RejectionsConfig,
  req: NodeRequest,
  res: NodeResponse,
): LateStep {
  for (const name of headersOfBodies) {
    // Node.js takes the removal even of a length that was not set for the wish to send none, and
    // then has to close the connection.
    if (res.hasHeader(name)) res.removeHeader(name);
  }
  if (rejected.rejection.reason === "draining") closeAfterwards(req, res);
  // A gate's own answer may be a success, and frameworks know no error with such a status.
  if (rejections === "answer" || answer.status < 400) return { type: "answer", answer };
  // Koa removes all headers but those of the error.
  const isClosing = res.getHeader("connection") === "close";
  const headers = isClosing ? { ...answer.headers, connection: "close" } : answer.headers;
  return { type: "fail", error: new HttpRejectedError(rejected, { ...answer, headers }) };
}
