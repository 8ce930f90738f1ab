import { answerError, type OnError } from "./handler-error";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse } from "./message";

/**
 * A listener that runs the handler for requests that may enter, and answers for a handler that
 * fails: with 500, or by breaking off an answer that had begun. Never throws.
 *
 * Every request passes here, so no promise is made that nobody needs.
 *
 * @param enter never rejects.
 */
export function guarded<Req extends NodeRequest, Res extends NodeResponse>(
  enter: (req: Req, res: Res) => Promise<boolean>,
  handler: NodeHandler<Req, Res>,
  onError: OnError | undefined,
): NodeListener<Req, Res> {
  return (req, res) => {
    const fail = (error: unknown) => answerError(error, req, res, onError);
    void enter(req, res).then((mayGoOn) => {
      if (!mayGoOn) return;
      try {
        const running = handler(req, res);
        if (isThenable(running)) running.then(undefined, fail);
      } catch (error) {
        void fail(error);
      }
    });
  };
}

/** Whether a value is a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}
