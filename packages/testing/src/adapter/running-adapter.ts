import type { Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { RunningAdapter } from "./adapter-under-test";

/** A server of Node.js as the suite wants it, listening on a free port of 127.0.0.1. */
export async function runningAdapter(server: Server | Http2Server): Promise<RunningAdapter> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
    onUpgrade: (listener) => void server.on("upgrade", (_req, socket) => listener(socket)),
  };
}

/** Reads a body to its end and tells its length in bytes; rejects if the client leaves before. */
export async function bodyLength(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return bytes;
}
