import type { IncomingMessage } from "node:http";

const BODY_BYTES_MAX = 10_000_000;

/**
 * The whole body as text; undefined if it is larger than 10 MB or the sender left. Never rejects.
 */
export function readText(message: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      // What is too large is read to its end all the same, so that the connection stays usable.
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    });
    message.once("end", () => {
      resolve(bytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks).toString("utf8"));
    });
    message.once("close", () => resolve(undefined));
  });
}
