import type { IncomingMessage } from "node:http";
import { isHttp2, type NodeRequest, type NodeResponse } from "./message";

/**
 * Has the connection closed after the answer that will be sent now, for a process that is going
 * away. At once if the request has no body or it has been read, since a client that is still
 * sending would see a broken pipe instead of the answer; otherwise when the body is over, or at the
 * bound. HTTP/2 connections are left to `server.close()`, which says goodbye properly.
 */
export function closeAfterwards(req: NodeRequest, res: NodeResponse, drainBoundMs = 5000): void {
  if (isHttp2(res)) return;
  const request = req as IncomingMessage;
  if (isBodyArriving(request)) closeAfterBody(request, drainBoundMs);
  else res.setHeader("connection", "close");
}

function isBodyArriving(req: IncomingMessage): boolean {
  if (req.complete) return false;
  const { "transfer-encoding": encoding, "content-length": length = "0" } = req.headers;
  return encoding !== undefined || length !== "0";
}

function closeAfterBody(req: IncomingMessage, drainBoundMs: number): void {
  const { socket } = req;
  const bound = setTimeout(() => socket.destroy(), drainBoundMs).unref();
  socket.once("close", () => clearTimeout(bound));
  req.once("close", () => socket.end());
}
