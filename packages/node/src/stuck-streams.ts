import { constants, type ServerHttp2Stream } from "node:http2";

/** How often streams are looked at; one that is stuck is let go within twice that. */
const sweepMs = 1000;

const open = new Set<ServerHttp2Stream>();
let sweeping: NodeJS.Timeout | undefined;

/**
 * Destroys a stream that its client has reset without an error code while data was still waiting to
 * be sent. Node (20 and 24) marks such a stream closed and then neither destroys it nor emits
 * anything, so that a client could keep a slot for as long as its connection lives.
 *
 * One timer serves all streams; it runs only while streams are open and holds no process.
 */
export function keepFromSticking(stream: ServerHttp2Stream): void {
  open.add(stream);
  sweeping ??= setInterval(sweep, sweepMs).unref();
}

/** To be called when a stream has closed. */
export function streamHasClosed(stream: ServerHttp2Stream): void {
  open.delete(stream);
}

function sweep(): void {
  for (const stream of open) {
    if (isStuck(stream)) stream.destroy();
  }
  if (open.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
}

/**
 * Closed, but not destroyed: also a stream that the server closes itself while its last data is on
 * the way. That one the protocol engine still knows, whereas of a forgotten one it says "idle".
 */
function isStuck(stream: ServerHttp2Stream): boolean {
  const idle = constants.NGHTTP2_STREAM_STATE_IDLE;
  return stream.closed && !stream.destroyed && stream.state.state === idle;
}
