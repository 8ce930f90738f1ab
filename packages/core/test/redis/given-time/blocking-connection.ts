import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { type Reply, ReplyError, ReplyReader } from "../../../../../tools/redis/reply-reader";
import type { Argument } from "../../../../../tools/redis/resp-connection";

/** The socket: passes bytes on in both directions, and counts what has arrived. */
const SOCKET = `
const { workerData: { port, bytes, arrivals } } = require("node:worker_threads");
const socket = require("node:net").connect({ port, host: "127.0.0.1" });
socket.setNoDelay(true);
const pass = (message) => {
  bytes.postMessage(message);
  Atomics.add(arrivals, 0, 1);
  Atomics.notify(arrivals, 0);
};
socket.on("data", pass);
socket.on("close", () => pass("the connection was closed"));
socket.on("error", (error) => pass(String(error)));
bytes.on("message", (message) => socket.write(message));
`;

const REPLY_TIMEOUT_MS = 10_000;

/**
 * A connection to a server on 127.0.0.1 whose commands block this thread until they are answered.
 * For a test no time passes then, so that a clock which only the test moves, and whatever waits for
 * promises, work with a real server as with memory.
 */
export class BlockingConnection {
  readonly #worker: Worker;
  readonly #bytes: MessagePort;
  readonly #arrivals = new Int32Array(new SharedArrayBuffer(4));
  readonly #reader = new ReplyReader();
  #seen = 0;

  constructor(port: number) {
    const { port1, port2 } = new MessageChannel();
    this.#bytes = port1;
    const workerData = { port, bytes: port2, arrivals: this.#arrivals };
    this.#worker = new Worker(SOCKET, { eval: true, workerData, transferList: [port2] });
    this.#worker.unref();
  }

  /**
   * The reply to the last of several commands that are sent together.
   *
   * @throws ReplyError if the server refuses it; Error if no reply comes within 10 seconds.
   */
  command(...commands: readonly (readonly Argument[])[]): Reply {
    this.#bytes.postMessage(Buffer.from(commands.map(encoded).join("")));
    let awaited = commands.length;
    for (;;) {
      for (const { value } of this.#reader.push(this.#nextBytes())) {
        awaited -= 1;
        if (value instanceof ReplyError) throw value;
        if (awaited === 0) return value;
      }
    }
  }

  async close(): Promise<void> {
    this.#bytes.close();
    await this.#worker.terminate();
  }

  #nextBytes(): Buffer {
    if (Atomics.wait(this.#arrivals, 0, this.#seen, REPLY_TIMEOUT_MS) === "timed-out") {
      throw new Error(`expected a reply within ${REPLY_TIMEOUT_MS} ms`);
    }
    const { message } = receiveMessageOnPort(this.#bytes) as { readonly message: unknown };
    this.#seen += 1;
    if (typeof message === "string") throw new Error(message);
    return Buffer.from(message as Uint8Array);
  }
}

function encoded(args: readonly Argument[]): string {
  const parts = args.map(String).map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`);
  return `*${args.length}\r\n${parts.join("")}`;
}
