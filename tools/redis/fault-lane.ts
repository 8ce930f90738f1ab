import type { Socket } from "node:net";

/** What goes one way; null is the end of the sender's stream. */
type Item = Buffer | null;

interface Queued {
  readonly item: Item;
  /** By the monotonic clock, in milliseconds. */
  readonly dueMs: number;
}

/** One direction of a connection through the proxy: passes on in order, late, or not for now. */
export class FaultLane {
  readonly #to: Socket;
  readonly #queue: Queued[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isHeld: boolean;

  constructor(to: Socket, isHeld: boolean) {
    this.#to = to;
    this.#isHeld = isHeld;
  }

  push(item: Item, delayMs: number): void {
    // Never before what was sent earlier, also if the delay has become shorter.
    const earliestMs = this.#queue.at(-1)?.dueMs ?? 0;
    this.#queue.push({ item, dueMs: Math.max(earliestMs, performance.now() + delayMs) });
    this.#pump();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#pump();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
  }

  #pump(): void {
    clearTimeout(this.#timer);
    while (!this.#isHeld) {
      const [head] = this.#queue;
      if (head === undefined) return;
      const waitMs = head.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#pump(), Math.ceil(waitMs));
        return;
      }
      this.#queue.shift();
      if (head.item === null) this.#to.end();
      else this.#to.write(head.item);
    }
  }
}
