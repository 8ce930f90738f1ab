import { Agent, type IncomingMessage, request } from "node:http";
import type { Answer, Shot } from "./shot";

/** One kept-alive connection to a server on this machine. */
export class Connection {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request and reads the whole answer. Never rejects: a broken connection is status 0. */
  send(shot: Shot, startedMs: number): Promise<Answer> {
    const { method, path, headers, body } = shot;
    const { promise, resolve } = withResolver<Answer>();
    const sinceStart = () => performance.now() - startedMs;
    const sentAtMs = sinceStart();
    const broken = (error: Error) =>
      resolve({
        status: 0,
        headers: {},
        body: error.message,
        sentAtMs,
        firstByteAtMs: sinceStart(),
        endedAtMs: sinceStart(),
      });
    const options = { port: this.#port, host: "127.0.0.1", agent: this.#agent, method, path };
    const req = request({ ...options, headers: { ...headers } }, (res) => {
      const firstByteAtMs = sinceStart();
      let text = "";
      res.setEncoding("utf8");
      res.on("data", (chunk: string) => {
        text += chunk;
      });
      res.once("error", broken);
      res.once("end", () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: headersOf(res),
          body: text,
          sentAtMs,
          firstByteAtMs,
          endedAtMs: sinceStart(),
        }),
      );
    });
    req.once("error", broken);
    req.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * `count` connections to the ports in turn, each opened by one cheap request, so that no clock
 * measures the opening.
 */
export async function openConnections(
  ports: readonly number[],
  count: number,
): Promise<Connection[]> {
  const connections = Array.from(
    { length: count },
    (_, index) => new Connection(ports[index % ports.length] as number),
  );
  const hello: Shot = { method: "GET", path: "/health/liveliness" };
  const answers = await Promise.all(connections.map((each) => each.send(hello, 0)));
  const broken = answers.find((answer) => answer.status === 0);
  if (broken !== undefined) throw new Error(`Could not connect to ${ports}: ${broken.body}`);
  return connections;
}

function headersOf(res: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(res.headers).map(([name, value]) => [name, String(value)]),
  );
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
