import type { Readable } from "node:stream";

/** What a route answers, whatever framework sends it. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Readable;
}

/** An answer with a JSON body. */
export function jsonAnswer(status: number, body: unknown): Answer {
  return { status, type: "application/json", body: JSON.stringify(body) };
}

/** An answer with an OpenAI-style error. */
export function errorAnswer(status: number, message: string): Answer {
  const type = status < 500 ? "invalid_request_error" : "api_error";
  return jsonAnswer(status, { error: { message, type, code: String(status) } });
}
