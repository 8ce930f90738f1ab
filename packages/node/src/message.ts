import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request of node:http or of the compatibility API of node:http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of node:http or of the compatibility API of node:http2. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** The response that belongs to a kind of request. */
export type ResponseTo<Req extends NodeRequest> = Req extends Http2ServerRequest
  ? Http2ServerResponse
  : ServerResponse;

/** Answers a request; may be asynchronous. What it throws or rejects with becomes a 500. */
export type NodeHandler<Req extends NodeRequest, Res extends NodeResponse> = (
  req: Req,
  res: Res,
) => unknown;

/** A listener for `createServer`. */
export type NodeListener<Req extends NodeRequest, Res extends NodeResponse> = (
  req: Req,
  res: Res,
) => void;

/** Only HTTP/2 has streams; the version of a request is no help where a framework wraps it. */
export function isHttp2(res: NodeResponse): res is Http2ServerResponse {
  return "stream" in res;
}
