import http, { type RequestListener } from "node:http";
import http2, { type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type net from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** A server of one test on a free port of the loopback interface. */
export interface TestServer<S extends net.Server = net.Server> {
  readonly server: S;
  readonly port: number;
  readonly origin: string;
  /** Connections from the server's side, in the order they came. */
  readonly connections: readonly Socket[];
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

export function startHttp(listener: RequestListener): Promise<TestServer<http.Server>> {
  return start(http.createServer(listener));
}

export function startHttp2(
  listener: (req: Http2ServerRequest, res: Http2ServerResponse) => void,
): Promise<TestServer<http2.Http2Server>> {
  return start(http2.createServer(listener));
}

async function start<S extends net.Server>(server: S): Promise<TestServer<S>> {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    origin: `http://127.0.0.1:${port}`,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  };
}
