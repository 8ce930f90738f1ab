import type { IncomingMessage } from "node:http";

const BODY_BYTES_MAX = 10_000_000;

/** The whole body as text; undefined if it is larger than 10 MB or the sender left. */
export async function readText(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // What is too large is read to its end all the same, so that the connection stays usable.
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString("utf8");
}
