import type { ServerResponse } from "node:http";
import type { Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { Outcome } from "@sluice/core";
import { isHttp2, type NodeResponse } from "./message";
import { outcomeOfResponse } from "./outcome";
import { keepFromSticking, streamHasClosed } from "./stuck-streams";

/**
 * Calls back exactly once when a response has ended, in whatever way, with how it counts; at once
 * if it has ended already. Costs one listener per response.
 *
 * HTTP/1.1: the response's `close`, which follows `finish` and also a client's disconnect, or the
 * socket's `close` for a pipelined response whose turn never came and that emits nothing. The
 * request's `close` is no sign: it comes as soon as the body has been read. A half-closed
 * connection counts as a disconnect, as node:http itself takes it.
 *
 * HTTP/2: the `close` of the stream. Its flags do not tell a reset from an answer, `rstCode` does.
 * A reset that Node does not report is found within two seconds (see `stuck-streams.ts`).
 */
export function whenResponseEnds(res: NodeResponse, onEnd: (outcome: Outcome) => void): void {
  whenOver(res, (isComplete) => onEnd(outcomeOfResponse(res, isComplete)));
}

/**
 * As {@link whenResponseEnds}, but tells only whether the client has the whole answer. Both the
 * gate and the limits stand on this one.
 */
export function whenOver(res: NodeResponse, onOver: (isComplete: boolean) => void): void {
  if (isHttp2(res)) followStream(res, onOver);
  else followSocket(res, onOver);
}

/**
 * Calls back exactly once when a socket has closed, at once if it is destroyed: for sockets that a
 * server's `upgrade` or `connect` event hands over, which have no response. node:http leaves such a
 * socket half-open when its peer goes, and while data is unread it does not even notice: read it,
 * and end it on its `end`.
 */
export function whenSocketEnds(socket: Duplex, onEnd: () => void): void {
  if (socket.destroyed) onEnd();
  else waitingFor(socket).add(() => onEnd());
}

/** Whether nobody can be answered any more: the response is complete, or its client has left. */
export function hasEnded(res: NodeResponse): boolean {
  if (isHttp2(res)) return res.writableEnded || res.stream.destroyed || res.stream.closed;
  return res.writableEnded || res.destroyed || res.req.socket.destroyed;
}

function followSocket(res: ServerResponse, onOver: (isComplete: boolean) => void): void {
  const { socket } = res.req;
  if (res.destroyed || socket.destroyed) {
    // Long over: whether the socket broke before or after the last byte cannot be told any more.
    onOver(res.writableFinished);
    return;
  }
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    // On Node 20 a broken connection "finishes" the response that it was carrying: the callbacks of
    // the writes that failed are what emits `finish`. By then the socket is destroyed, which it is
    // not when a response finishes in earnest. So that is what tells, and not `writableFinished`,
    // which comes late where a test injects requests without a connection.
    onOver(res.writableEnded && !socket.destroyed);
  };
  res.on("close", end);
  // A response that has the socket is told of its close by node:http. One that waits for its turn
  // behind others is not, nor is its request once the body has been read.
  if (res.socket === null) followPipelined(res, socket, end);
}

function followPipelined(res: ServerResponse, socket: Duplex, end: () => void): void {
  const waiting = waitingFor(socket);
  waiting.add(end);
  res.once("close", () => waiting.delete(end));
}

/** Whom to tell when a socket closes. One listener per socket serves all that wait on it. */
const waitingBySocket = new WeakMap<Duplex, Set<() => void>>();

function waitingFor(socket: Duplex): Set<() => void> {
  const known = waitingBySocket.get(socket);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  waitingBySocket.set(socket, waiting);
  socket.once("close", () => {
    for (const end of [...waiting]) callSafely(end);
    waiting.clear();
  });
  return waiting;
}

/** One listener that throws must not keep the others from giving their slots back. */
function callSafely(end: () => void): void {
  try {
    end();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

function followStream(res: Http2ServerResponse, onOver: (isComplete: boolean) => void): void {
  const { stream } = res;
  if (stream.destroyed) {
    onOver(isComplete(stream));
    return;
  }
  // The response's own `close` is sometimes missing (nodejs/node#56374); a stream that is destroyed
  // always closes.
  stream.once("close", () => {
    streamHasClosed(stream);
    onOver(isComplete(stream));
  });
  keepFromSticking(stream);
}

/**
 * A reset leaves the stream "finished" or the response "ended", depending on when it came, so
 * neither flag says that the client has the answer. A reset without an error code shows in
 * `aborted`, or in data that was never written.
 */
function isComplete(stream: ServerHttp2Stream): boolean {
  return stream.rstCode === 0 && stream.writableFinished && !stream.aborted;
}
