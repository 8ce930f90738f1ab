import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Reply, ReplyError, ReplyReader } from "./reply-reader";

/** What a test sends; numbers are sent as text. */
export type Argument = string | number;

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** A server that is paused must not hold up whoever asks it for longer than this. */
const REPLY_TIMEOUT_MS = 10_000;

/**
 * One connection to a server on 127.0.0.1, with nothing in between: no queue, no reconnecting. It
 * keeps the process alive only while a reply is awaited.
 */
export class RespConnection {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).unref();
    socket.on("data", (chunk) => this.#onData(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  /** @throws Error of the system if nobody accepts. */
  static async open(port: number): Promise<RespConnection> {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    return new RespConnection(socket);
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /**
   * Sends one command; several may be under way.
   *
   * @throws ReplyError if the server refuses; Error if the connection fails or after 10 seconds.
   */
  async command(...args: readonly Argument[]): Promise<Reply> {
    if (this.#failure !== undefined) throw this.#failure;
    const timer = setTimeout(() => {
      this.#fail(new Error(`expected a reply within ${REPLY_TIMEOUT_MS} ms to ${args[0]}`));
    }, REPLY_TIMEOUT_MS);
    try {
      const reply = await new Promise<Reply>((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        this.#socket.write(encoded(args));
      });
      if (reply instanceof ReplyError) throw reply;
      return reply;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#fail(new Error("the connection was closed"));
  }

  #onData(chunk: Buffer): void {
    for (const { value, isPush } of this.#reader.push(chunk)) {
      if (!isPush) this.#waiting.shift()?.resolve(value);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function encoded(args: readonly Argument[]): string {
  const parts = args.map(String).map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`);
  return `*${args.length}\r\n${parts.join("")}`;
}
