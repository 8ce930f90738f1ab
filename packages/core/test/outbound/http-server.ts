import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A real HTTP server on a free port of this machine. */
export interface HttpServer {
  readonly url: string;
  /** Requests that have arrived. */
  readonly requests: () => number;
  /** Connections that are open. */
  readonly connections: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function serve(listener: RequestListener): Promise<HttpServer> {
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    listener(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Waits, turn by turn of the event loop, until something holds. */
export async function until(what: string, holds: () => boolean, tries = 5000): Promise<void> {
  for (let turn = 0; turn < tries; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`waited in vain until ${what}`);
}
