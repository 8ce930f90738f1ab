import { constants } from "node:http2";
import type { RenderedAnswer } from "@sluice/core/http";
import { isHttp2, type NodeResponse } from "./message";
import { hasEnded } from "./response-end";

/**
 * Sends a rendered answer, once: nothing happens if the response has begun or ended. A body that is
 * still arriving is left to node:http, which reads it away, so that the client gets to read the
 * answer and can use the connection again.
 */
export function sendAnswer(res: NodeResponse, answer: RenderedAnswer): void {
  if (hasEnded(res) || res.headersSent) return;
  res.statusCode = answer.status;
  setHeaders(res, answer.headers);
  endWith(res, answer.body);
}

/**
 * Ends a response to which there is no (whole) answer: its client sees a broken connection, or a
 * stream reset with the given HTTP/2 error code.
 */
export function abandon(res: NodeResponse, code: number = constants.NGHTTP2_CANCEL): void {
  if (isHttp2(res)) res.stream.close(code);
  else res.destroy();
}

/**
 * Answers 500 in plain text if nothing was sent yet, and breaks off an answer that had begun, so
 * that its client does not take it for a whole one. Does nothing if it has ended.
 */
export function sendServerError(res: NodeResponse): void {
  if (hasEnded(res)) return;
  if (res.headersSent) {
    abandon(res, constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  // What the handler had prepared (a length, an encoding, a lifetime) would be untrue of this
  // answer.
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.statusCode = 500;
  res.setHeader("content-type", "text/plain");
  endWith(res, "Internal Server Error\n");
}

function endWith(res: NodeResponse, body: string): void {
  // The HTTP/2 API takes a body in answer to HEAD for a write after the end.
  if (isHttp2(res)) res.end(res.req.method === "HEAD" ? "" : body);
  else res.end(body);
}

/** Sets header fields on a response whose head has not been sent. */
export function setHeaders(res: NodeResponse, headers: Readonly<Record<string, string>>): void {
  if (res.headersSent) return;
  for (const name in headers) res.setHeader(name, headers[name] as string);
}
