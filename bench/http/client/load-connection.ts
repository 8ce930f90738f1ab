import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { BODY } from "../answer";

const STATUS = Buffer.from("HTTP/1.1 200 ");
const END = Buffer.from(BODY);

/** One keep-alive connection that has at most one request under way. */
export class LoadConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #onAnswer: (() => void) | undefined;

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

  /** Sends a request; `onAnswer` is called when the answer is complete. */
  send(request: Buffer, onAnswer: () => void): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const received = this.#received;
    if (received.compare(END, 0, END.length, Math.max(0, received.length - END.length)) !== 0) {
      return;
    }
    if (received.compare(STATUS, 0, STATUS.length, 0, STATUS.length) !== 0) {
      throw new Error(`Unexpected answer: ${received.toString("latin1")}`);
    }
    this.#received = Buffer.alloc(0);
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.();
  }
}
