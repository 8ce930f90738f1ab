import http from "node:http";
import { type AdapterClient, type Asking, type Exchange, fieldsOf } from "./answer";
import { ArrivingAnswer } from "./arriving-answer";

/** A client of HTTP/1.1 that keeps its connections. */
export class Http1Client implements AdapterClient {
  readonly #port: number;
  readonly #agent: http.Agent;

  constructor(port: number, { connections = Number.POSITIVE_INFINITY } = {}) {
    this.#port = port;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  open(path: string, asking: Asking = {}): Exchange {
    const { method = "GET", body, reads = true } = asking;
    const arriving = new ArrivingAnswer();
    const { head, answer } = arriving;
    let response: http.IncomingMessage | undefined;
    const request = http.request({
      host: "127.0.0.1",
      port: this.#port,
      agent: this.#agent,
      path,
      method,
      headers: fieldsOf(asking),
    });
    // Without a listener, node:http would throw an unread answer away.
    const read = () => response?.on("data", (piece: Buffer) => arriving.add(piece));
    request.on("response", (res) => {
      response = res;
      res.on("end", () => arriving.end()).on("error", (error) => arriving.break(error));
      arriving.begin(res.statusCode ?? 0, res.headers);
      if (reads) read();
    });
    request.on("error", (error) => arriving.break(error));
    if (body === null) request.flushHeaders();
    else request.end(body);
    return {
      head,
      answer,
      receives: (text) => arriving.receives(text),
      send: (piece) => void request.write(piece),
      finish: () => void request.end(),
      read: () => void read(),
      leave: () => void request.destroy(),
    };
  }

  /** Sockets that are open: a connection that was reused is counted once. */
  get openSockets(): number {
    const lists = [this.#agent.sockets, this.#agent.freeSockets];
    return lists.flatMap((list) => Object.values(list).flat()).length;
  }

  close(): void {
    this.#agent.destroy();
  }
}
