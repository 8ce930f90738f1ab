import type { AfterIo } from "../../clock/after-io";
import type { Operation } from "../wire/operation";
import type { Pending } from "./pending";

type AnyOperation = Operation<never, unknown>;

/**
 * What frees goes before what takes, so that a slot given back in a turn can be had in the same
 * turn.
 */
const ORDER = ["settle", "release", "renew", "undo", "reset", "admit", "peek"];

/**
 * Gathers commands until what has arrived on the sockets of this turn of the event loop has been
 * handled: requests that came together are asked together.
 */
export class Gathering {
  readonly #afterIo: AfterIo;
  readonly #send: (operation: AnyOperation, waiting: readonly Pending[]) => void;
  #waiting = new Map<AnyOperation, Pending[]>();

  constructor(
    afterIo: AfterIo,
    send: (operation: AnyOperation, waiting: readonly Pending[]) => void,
  ) {
    this.#afterIo = afterIo;
    this.#send = send;
  }

  add(pending: Pending): void {
    if (this.#waiting.size === 0) this.#afterIo(() => this.#flush());
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

  #flush(): void {
    const gathered = this.#waiting;
    this.#waiting = new Map();
    if (gathered.size === 1) {
      for (const [operation, waiting] of gathered) this.#send(operation, waiting);
      return;
    }
    const inOrder = [...gathered].sort(([a], [b]) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
    for (const [operation, waiting] of inOrder) this.#send(operation, waiting);
  }
}
