import net from "node:net";
import { until } from "../world/until";

/** A client that speaks HTTP/1.1 by hand, to misbehave in exact ways. */
export interface RawClient {
  readonly socket: net.Socket;
  /** Everything that has come so far. */
  received(): string;
  send(text: string): void;
  /** Waits until the text has come. */
  receives(text: string): Promise<void>;
  /** How many answers have begun. */
  answers(): number;
}

/** Connects to a port of 127.0.0.1. */
export async function rawClient(port: number): Promise<RawClient> {
  const socket = net.connect(port, "127.0.0.1");
  let received = "";
  socket.on("error", () => {});
  socket.setEncoding("latin1").on("data", (chunk: string) => (received += chunk));
  await new Promise((resolve) => socket.once("connect", resolve));
  return {
    socket,
    received: () => received,
    send: (text) => void socket.write(text),
    receives: (text) => until(`the client receives ${text}`, () => received.includes(text)),
    answers: () => received.split("HTTP/1.1 ").length - 1,
  };
}

/** A request (head and body) as text, with keep-alive. */
export function rawRequest(path: string, { method = "GET", body = "", head = "" } = {}): string {
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${length}${head}\r\n${body}`;
}
