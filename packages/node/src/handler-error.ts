import { HttpRejectedError } from "@sluice/core/http";
import type { NodeRequest, NodeResponse } from "./message";
import { sendAnswer, sendServerError } from "./send-answer";
import { warnOfError } from "./warning";

/**
 * Hears of an error of a handler, a policy or a limiter, with the request that it befell. May
 * answer by itself, at once or before its promise resolves; otherwise the request gets a plain 500.
 * What it throws itself is dropped.
 */
export type OnError = (error: unknown, req: NodeRequest, res: NodeResponse) => unknown;

/**
 * Tells `onError`, or the process's warnings if there is none, and answers what is left unanswered:
 * with a plain 500, or a rejection with its own answer. A rejection is no reason for a warning.
 */
export async function answerError(
  error: unknown,
  req: NodeRequest,
  res: NodeResponse,
  onError: OnError | undefined,
): Promise<void> {
  try {
    if (onError !== undefined) await onError(error, req, res);
    else if (!(error instanceof HttpRejectedError)) warnOfError(error);
  } catch {
    // The response has to end, and the slot to come back, whatever an error handler does.
  }
  if (error instanceof HttpRejectedError && !res.headersSent) sendAnswer(res, error.answer);
  else sendServerError(res);
}
