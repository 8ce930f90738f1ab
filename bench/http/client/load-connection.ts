import { once } from "node:events";
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /^content-length: (\d+)\r$/im;

/** One keep-alive connection that has at most one request under way. */
export class LoadConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #onAnswer: ((isRefusal: boolean) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("close", () => {
      if (this.#onAnswer !== undefined) throw new Error("The server closed a connection.");
    });
  }

  static async open(port: number): Promise<LoadConnection> {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    return new LoadConnection(socket);
  }

  /** Sends a request; `onAnswer` is called when the answer is complete: a 200, or a 429. */
  send(request: Buffer, onAnswer: (isRefusal: boolean) => void): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const received = this.#received;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.toString("latin1", 0, headEnd + 1);
    const length = Number(CONTENT_LENGTH.exec(head)?.[1]);
    if (received.length < headEnd + HEAD_END.length + length) return;
    const isRefusal = head.startsWith("HTTP/1.1 429 ");
    if (!(isRefusal || head.startsWith("HTTP/1.1 200 ")) || Number.isNaN(length)) {
      throw new Error(`Unexpected answer: ${received.toString("latin1")}`);
    }
    this.#received = Buffer.alloc(0);
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(isRefusal);
  }
}
