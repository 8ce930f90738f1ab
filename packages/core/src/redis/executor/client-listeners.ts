// biome-ignore lint/suspicious/noExplicitAny: the libraries type the listener of each event.
type Listener = (...args: any[]) => void;

interface Emitter {
  on(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
}

/** Clients that have a listener for `error` for the rest of their lives. */
const guarded = new WeakSet<object>();

/**
 * The listeners on one client. An `error` without a listener ends the process, also after the store
 * has been closed, so one listener that does nothing stays for ever.
 */
export class ClientListeners {
  readonly #client: Emitter;
  readonly #added: (readonly [string, Listener])[] = [];

  constructor(client: Emitter) {
    this.#client = client;
    if (guarded.has(client)) return;
    guarded.add(client);
    client.on("error", ignore);
  }

  add(event: string, listener: Listener): void {
    this.#client.on(event, listener);
    this.#added.push([event, listener]);
  }

  /** Takes all listeners away but the one that keeps the process alive. Idempotent. */
  removeAll(): void {
    for (const [event, listener] of this.#added.splice(0)) this.#client.off(event, listener);
  }
}

function ignore(): void {}
