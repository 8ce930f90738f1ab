import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { leaveWithParent } from "./leave-with-parent";

/** What a server process tells its parent once its servers can be reached. */
export interface ListeningMessage {
  readonly type: "listening";
  /** In the order of the servers. */
  readonly ports: readonly number[];
}

/** A server that is to listen on `port` of 127.0.0.1; 0 takes a free one. */
export interface Listening {
  readonly server: Server;
  readonly port: number;
}

/**
 * Listens and tells the parent process which ports it is on; started by hand it prints addresses
 * instead.
 */
export async function serveAsChild(servers: readonly Listening[]): Promise<void> {
  leaveWithParent();
  try {
    const ports = await Promise.all(servers.map(listen));
    const listening: ListeningMessage = { type: "listening", ports };
    if (process.send !== undefined) process.send(listening);
    else for (const port of ports) console.log(`http://127.0.0.1:${port}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

async function listen({ server, port }: Listening): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
