import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { leaveWithParent } from "./leave-with-parent";

/** What a server process tells its parent once it can be reached. */
export interface ListeningMessage {
  readonly type: "listening";
  readonly port: number;
}

/**
 * Listens on `port` (0 takes a free one) of 127.0.0.1 and tells the parent process which port it
 * is; started by hand it prints its address instead.
 */
export function serveAsChild(server: Server, port: number): void {
  server.once("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  server.listen(port, "127.0.0.1", () => {
    const listening: ListeningMessage = {
      type: "listening",
      port: (server.address() as AddressInfo).port,
    };
    if (process.send === undefined) console.log(`http://127.0.0.1:${listening.port}`);
    else process.send(listening);
  });
  leaveWithParent();
}
