import type { BodyReader, FetchedBody } from "./fetch-like";

/** What happens to a body, told to whoever holds the slot of its call. */
export interface BodyListener {
  onFirstByte(): unknown;
  /** The last byte has arrived. */
  onEnd(): void;
  onFailure(error: unknown): void;
  /** Its reader does not want the rest, or there is no reader any more. */
  onCancel(): void;
}

/**
 * How much is read ahead of whoever reads the body. A body of up to so many bytes ends by itself,
 * also if nobody ever reads it, and first bytes are noticed when they arrive. The usual size of a
 * chunk, so that a call holds one or two of them.
 */
const READ_AHEAD_BYTES = 65_536;

/** Bodies that nobody can read any more; the runtime tells when it notices. */
const forgotten = new FinalizationRegistry<() => void>((giveUp) => giveUp());

/**
 * The same bytes as `body`, and word of when they begin and end. Reading, cancelling, errors and
 * back-pressure go through to `body`. If the stream is dropped without being read or cancelled,
 * `body` is cancelled when the garbage collector finds it.
 */
export function followedBody(body: FetchedBody, listener: BodyListener): ReadableStream {
  const reader = body.getReader();
  const mark = {};
  const stream = new ReadableStream(
    {
      type: "bytes",
      pull: (controller) => pull(reader, controller, listener, mark),
      cancel: (reason) => {
        forgotten.unregister(mark);
        listener.onCancel();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: READ_AHEAD_BYTES },
  );
  const giveUp = () => {
    listener.onCancel();
    reader.cancel().catch(() => {});
  };
  forgotten.register(stream, giveUp, mark);
  return stream;
}

/** Enqueuing takes the memory of a chunk away, which must not be a pool that others use. */
function withOwnMemory(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const isWhole = chunk.byteLength === chunk.buffer.byteLength;
  return (isWhole ? chunk : chunk.slice()) as Uint8Array<ArrayBuffer>;
}

async function pull(
  reader: BodyReader,
  controller: ReadableByteStreamController,
  listener: BodyListener,
  mark: object,
): Promise<void> {
  try {
    const { done, value } = await reader.read();
    if (done || value === undefined) {
      forgotten.unregister(mark);
      listener.onEnd();
      controller.close();
      // A reader with a buffer of its own waits for word that nothing is going to be put there.
      controller.byobRequest?.respond(0);
      return;
    }
    listener.onFirstByte();
    // A byte stream takes no empty chunk, and nothing would be gained by one.
    if (value.byteLength > 0) controller.enqueue(withOwnMemory(value));
    else await pull(reader, controller, listener, mark);
  } catch (error) {
    forgotten.unregister(mark);
    listener.onFailure(error);
    throw error;
  }
}
