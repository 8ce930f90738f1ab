import { Agent, request } from "node:http";
import { connect } from "node:http2";
import type { Protocol } from "./servers";

/** One request on its way. */
export interface Sent {
  /** The status, when the answer is over. */
  readonly status: Promise<number>;
  /** Gives the request up. */
  leave(): void;
}

/** Sends requests to the route of a server. */
export interface Client {
  open(): Sent;
  get(): Promise<number>;
  close(): void;
}

const PATH = "/";

export function clientOf(protocol: Protocol, port: number): Client {
  return protocol === "http1" ? http1Client(port) : http2Client(port);
}

function http1Client(port: number): Client {
  const agent = new Agent({ keepAlive: true });
  const open = (): Sent => {
    const sent = request({ host: "127.0.0.1", port, path: PATH, agent });
    const status = new Promise<number>((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      });
    });
    status.catch(() => {});
    sent.end();
    return { status, leave: () => void sent.destroy() };
  };
  return { open, get: () => open().status, close: () => agent.destroy() };
}

function http2Client(port: number): Client {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  const open = (): Sent => {
    const stream = session.request({ ":path": PATH });
    const status = new Promise<number>((resolve, reject) => {
      let code = 0;
      stream.on("error", reject);
      stream.on("response", (headers) => (code = Number(headers[":status"])));
      stream.resume().on("end", () => resolve(code));
    });
    status.catch(() => {});
    stream.end();
    return { status, leave: () => stream.close(8) };
  };
  return { open, get: () => open().status, close: () => session.destroy() };
}
