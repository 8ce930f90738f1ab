import { answerKind } from "../answer-kind";
import type { AnyRejected, RenderedBody } from "./rejection-body";
import { rejectionText } from "./rejection-text";

/**
 * A refusal in the shape of OpenAI's errors, which AI clients show to their users:
 * `{"error":{"message","type","code"}}`, the code being the HTTP status as text. Pure; never
 * throws.
 */
export function openaiBody(rejected: AnyRejected, status: number): RenderedBody {
  const error = { message: rejectionText(rejected), type: typeOf(rejected), code: String(status) };
  return { contentType: "application/json", text: JSON.stringify({ error }) };
}

function typeOf({ rejection }: AnyRejected): string {
  const kind = answerKind(rejection.reason);
  if (kind === "overload" || kind === "draining") return "overloaded_error";
  return kind === "unavailable" ? "server_error" : "rate_limit_error";
}
