import http, { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface Served {
  readonly origin: string;
  close(): Promise<void>;
}

/** A server of one test on a free port of the loopback interface. */
export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a GET and leaves as soon as `leave` resolves. */
export function visit(url: string, leave: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const request = http.get(url);
    request.on("error", () => {}).once("close", resolve);
    void leave.then(() => request.destroy());
  });
}
