import { connect, type Socket } from "node:net";
import { FaultLane } from "./fault-lane";
import { ReplyReader } from "./reply-reader";

/** What the proxy does to all its connections now. */
export interface Faults {
  readonly isHeld: boolean;
  readonly requestDelayMs: number;
  readonly replyDelayMs: number;
}

export interface LinkOptions {
  /** The client's side. */
  readonly client: Socket;
  /** Of the server, on 127.0.0.1. */
  readonly port: number;
  readonly faults: () => Faults;
  /** Asked about each reply: true if it must not reach the client. */
  readonly swallow: (link: FaultLink) => boolean;
  readonly onClose: (link: FaultLink) => void;
}

/** One client's connection through the proxy, and ours to the server for it. */
export class FaultLink {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #requests: FaultLane;
  readonly #replies: FaultLane;
  readonly #reader = new ReplyReader();
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    const { client, port, faults } = options;
    this.#options = options;
    this.#client = client;
    this.#server = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    this.#requests = new FaultLane(this.#server, faults().isHeld);
    this.#replies = new FaultLane(client, faults().isHeld);
    client.setNoDelay(true);
    this.#server.setNoDelay(true);
    client.on("data", (chunk) => this.#requests.push(chunk, faults().requestDelayMs));
    client.on("end", () => this.#requests.push(null, faults().requestDelayMs));
    this.#server.on("data", (chunk) => this.#onReplies(chunk));
    this.#server.on("end", () => this.#replies.push(null, faults().replyDelayMs));
    for (const socket of [client, this.#server]) {
      socket.on("error", () => this.reset());
      socket.on("close", () => this.#onSocketClosed());
    }
  }

  hold(isHeld: boolean): void {
    this.#requests.hold(isHeld);
    this.#replies.hold(isHeld);
  }

  /** Ends both sides at once and drops what is under way; the client sees a reset. */
  reset(): void {
    this.#closeLanes();
    this.#client.resetAndDestroy();
    this.#server.destroy();
  }

  /** As `reset`, but the client sees a regular end. */
  close(): void {
    this.#closeLanes();
    this.#client.end(() => this.#client.destroy());
    this.#server.destroy();
  }

  /** Replies one by one, so that exactly those that are to be lost are lost. */
  #onReplies(chunk: Buffer): void {
    for (const { bytes, isPush } of this.#reader.push(chunk)) {
      if (!isPush && this.#options.swallow(this)) continue;
      this.#replies.push(bytes, this.#options.faults().replyDelayMs);
    }
  }

  #onSocketClosed(): void {
    if (this.#client.destroyed && this.#server.destroyed) this.#options.onClose(this);
  }

  #closeLanes(): void {
    this.#requests.close();
    this.#replies.close();
  }
}
