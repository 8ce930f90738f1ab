import type { AfterIo } from "../../clock/after-io";
import type { Operation } from "../wire/operation";
import type { Pending } from "./pending";

/** Of the language, and so of every runtime. */
declare function queueMicrotask(fn: () => void): void;

type AnyOperation = Operation<never, unknown>;

/**
 * What frees goes before what takes, so that a slot given back in a turn can be had in the same
 * turn. Renewals go first: behind a release of the same turn they would find the lease gone before
 * its time, and enter it again.
 */
const ORDER = ["renew", "settle", "release", "undo", "reset", "admit", "peek"];

/**
 * Gathers commands until what has arrived on the sockets of this turn of the event loop has been
 * handled: requests that came together are asked together. While no call is under way nothing is
 * gained by waiting, and a command goes as soon as the code that asks has run.
 *
 * @remarks Nagle's algorithm (RFC 896) with the turn of the event loop in the place of the segment.
 */
export class Gathering {
  readonly #afterIo: AfterIo;
  readonly #send: (operation: AnyOperation, waiting: readonly Pending[]) => void;
  readonly #isIdle: () => boolean;
  #waiting = new Map<AnyOperation, Pending[]>();

  constructor(
    afterIo: AfterIo,
    isIdle: () => boolean,
    send: (operation: AnyOperation, waiting: readonly Pending[]) => void,
  ) {
    this.#isIdle = isIdle;
    this.#afterIo = afterIo;
    this.#send = send;
  }

  add(pending: Pending): void {
    if (this.#waiting.size === 0) {
      if (this.#isIdle()) queueMicrotask(this.#flush);
      else this.#afterIo(this.#flush);
    }
    const others = this.#waiting.get(pending.operation);
    if (others === undefined) this.#waiting.set(pending.operation, [pending]);
    else others.push(pending);
  }

  /** Everything that was gathered and not sent. */
  takeAll(): readonly Pending[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting = new Map();
    return all;
  }

  readonly #flush = (): void => {
    const gathered = this.#waiting;
    this.#waiting = new Map();
    if (gathered.size === 1) {
      for (const [operation, waiting] of gathered) this.#send(operation, waiting);
      return;
    }
    const inOrder = [...gathered].sort(([a], [b]) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
    for (const [operation, waiting] of inOrder) this.#send(operation, waiting);
  };
}
