import { answerError, type OnError } from "./handler-error";
import type { NodeHandler, NodeRequest, NodeResponse } from "./message";

/**
 * Runs a handler, and answers for one that throws or rejects: with 500, or by breaking off an
 * answer that had begun. Never throws.
 */
export function runHandler<Req extends NodeRequest, Res extends NodeResponse>(
  handler: NodeHandler<Req, Res>,
  req: Req,
  res: Res,
  onError: OnError | undefined,
): void {
  try {
    const running = handler(req, res);
    if (!isThenable(running)) return;
    running.then(undefined, (error: unknown) => answerError(error, req, res, onError));
  } catch (error) {
    void answerError(error, req, res, onError);
  }
}

/** Whether a value is a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}
