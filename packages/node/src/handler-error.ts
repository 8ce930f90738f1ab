import type { NodeRequest, NodeResponse } from "./message";
import { sendServerError } from "./send-answer";
import { warnOfError } from "./warning";

/**
 * Hears of an error of a handler, a policy or a limiter, with the request that it befell. May
 * answer by itself, at once or before its promise resolves; otherwise the request gets a plain 500.
 * What it throws itself is dropped.
 */
export type OnError = (error: unknown, req: NodeRequest, res: NodeResponse) => unknown;

/**
 * Tells `onError`, or the process's warnings if there is none, and answers what is left unanswered.
 */
export async function answerError(
  error: unknown,
  req: NodeRequest,
  res: NodeResponse,
  onError: OnError | undefined,
): Promise<void> {
  try {
    if (onError === undefined) warnOfError(error);
    else await onError(error, req, res);
  } catch {
    // The response has to end, and the slot to come back, whatever an error handler does.
  }
  sendServerError(res);
}
