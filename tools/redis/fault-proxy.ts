import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { FaultLink } from "./fault-link";
import { freePort } from "./free-port";

interface Swallowing {
  left: number;
  readonly links: Set<FaultLink>;
  readonly done: () => void;
}

/**
 * Stands between a client and a Redis server on 127.0.0.1, and breaks what a network can break.
 * Each switch stays until another call changes it; `forward` ends all of them.
 */
export class FaultProxy {
  /** Where clients connect to. */
  readonly port: number;
  readonly #serverPort: number;
  readonly #links = new Set<FaultLink>();
  #listener: Server | undefined;
  #isHeld = false;
  #requestDelayMs = 0;
  #replyDelayMs = 0;
  #swallowing: Swallowing | undefined;

  constructor(port: number, serverPort: number) {
    this.port = port;
    this.#serverPort = serverPort;
  }

  /** Connections of clients now. */
  get connections(): number {
    return this.#links.size;
  }

  /**
   * Passes everything on, also what a black hole has held: as after a partition, requests nobody
   * waits for any more reach the server late. `resetAll` before it drops them.
   */
  async forward(): Promise<void> {
    this.#requestDelayMs = 0;
    this.#replyDelayMs = 0;
    this.#swallowing = undefined;
    await this.#listen();
    this.#hold(false);
  }

  /** New connections are refused, as if nothing ran there. Open ones stay: see `resetAll`. */
  async refuse(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener === undefined) return;
    // It calls back only when all connections have ended, but listens no more from now on.
    listener.close();
    await Promise.resolve();
  }

  /** Accepts connections and requests, and answers nothing; nothing reaches the server either. */
  blackHole(): void {
    this.#hold(true);
  }

  /** Every request reaches the server so many milliseconds later. */
  delayRequests(ms: number): void {
    this.#requestDelayMs = ms;
  }

  /** Every reply reaches the client so many milliseconds later. */
  delayReplies(ms: number): void {
    this.#replyDelayMs = ms;
  }

  /**
   * The next `count` replies, on whatever connections, are lost: the server has done what it was
   * asked. Then those connections are closed, and all goes on as before. Resolves at that time.
   */
  swallowReplies(count: number): Promise<void> {
    return new Promise((done) => {
      this.#swallowing = { left: count, links: new Set(), done };
    });
  }

  /** Breaks all open connections now; clients see a reset. New ones are served. */
  resetAll(): void {
    for (const link of this.#links) link.reset();
  }

  /** Ends all connections and listens no more. */
  async stop(): Promise<void> {
    await this.refuse();
    this.resetAll();
  }

  async #listen(): Promise<void> {
    if (this.#listener !== undefined) return;
    const listener = createServer({ allowHalfOpen: true }, (client) => this.#onClient(client));
    this.#listener = listener;
    listener.listen({ port: this.port, host: "127.0.0.1" });
    await once(listener, "listening");
  }

  #onClient(client: Socket): void {
    const link = new FaultLink({
      client,
      port: this.#serverPort,
      faults: () => ({
        isHeld: this.#isHeld,
        requestDelayMs: this.#requestDelayMs,
        replyDelayMs: this.#replyDelayMs,
      }),
      swallow: (from) => this.#swallow(from),
      onClose: (closed) => this.#links.delete(closed),
    });
    this.#links.add(link);
  }

  #hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const link of this.#links) link.hold(isHeld);
  }

  #swallow(from: FaultLink): boolean {
    const swallowing = this.#swallowing;
    if (swallowing === undefined) return false;
    swallowing.links.add(from);
    swallowing.left -= 1;
    if (swallowing.left > 0) return true;
    this.#swallowing = undefined;
    for (const link of swallowing.links) link.close();
    swallowing.done();
    return true;
  }
}

/** A proxy on a free port of 127.0.0.1 for the server on `serverPort`; it forwards at first. */
export async function startFaultProxy(serverPort: number): Promise<FaultProxy> {
  const proxy = new FaultProxy(await freePort(), serverPort);
  await proxy.forward();
  return proxy;
}
