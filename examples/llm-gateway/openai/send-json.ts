import type { ServerResponse } from "node:http";

/** Ends the response with a JSON body. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader("content-type", "application/json");
  res.setHeader("content-length", Buffer.byteLength(text));
  res.end(text);
}

/** Ends the response with an OpenAI-style error. */
export function sendError(res: ServerResponse, status: number, message: string): void {
  const type = status < 500 ? "invalid_request_error" : "api_error";
  sendJson(res, status, { error: { message, type, code: String(status) } });
}
