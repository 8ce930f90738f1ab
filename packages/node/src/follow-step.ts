import type { Step } from "./adapter";
import { answerError, type OnError } from "./handler-error";
import type { NodeRequest, NodeResponse } from "./message";
import { sendAnswer, setHeaders } from "./send-answer";

/**
 * Does with plain Node.js what is to be done next with a request, and then tells whether it may go
 * on; if not, it has been answered or its client has left. Never throws.
 */
export function followStep(
  step: Step,
  req: NodeRequest,
  res: NodeResponse,
  onError: OnError | undefined,
  done: (mayGoOn: boolean) => void,
): void {
  switch (step.type) {
    case "proceed":
      if (step.headers !== null) setHeaders(res, step.headers);
      done(true);
      return;
    case "answer":
      sendAnswer(res, step.answer);
      done(false);
      return;
    case "over":
      done(false);
      return;
    case "fail":
      void answerError(step.error, req, res, onError).then(() => done(false));
  }
}
