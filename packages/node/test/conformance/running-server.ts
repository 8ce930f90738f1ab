import type { Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { RunningAdapter } from "@sluice/testing";

/** Listens on a free port of the loopback interface. */
export async function listen(server: Server | Http2Server): Promise<RunningAdapter> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
    onUpgrade: (listener) => void server.on("upgrade", (_req, socket) => listener(socket)),
  };
}
