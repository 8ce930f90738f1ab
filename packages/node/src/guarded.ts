import { answerError, type OnError } from "./handler-error";
import type { NodeHandler, NodeListener, NodeRequest, NodeResponse } from "./message";

/**
 * A listener that runs the handler for requests that may enter, and answers for a handler that
 * fails: with 500, or by breaking off an answer that had begun. Never throws.
 */
export function guarded<Req extends NodeRequest, Res extends NodeResponse>(
  enter: (req: Req, res: Res) => Promise<boolean>,
  handler: NodeHandler<Req, Res>,
  onError: OnError | undefined,
): NodeListener<Req, Res> {
  const run = async (req: Req, res: Res): Promise<void> => {
    try {
      if (await enter(req, res)) await handler(req, res);
    } catch (error) {
      await answerError(error, req, res, onError);
    }
  };
  return (req, res) => {
    void run(req, res);
  };
}
