import type { LimiterPermit, PriorityPoolLimit } from "@sluice/core";
import { admit } from "../../src/engine/admit";
import type { AdmitCommand } from "../../src/engine/command";
import type { AdmitReply } from "../../src/engine/reply";
import { settle } from "../../src/engine/settle";
import type { DescriptorState } from "../../src/engine/state";
import { classOf, poolUnitsOf } from "../../src/limit/pool-units";
import { type Reservation, settleCommandFor } from "../../src/limiter/reservation";

/** Plays questions and settlements on the state of one pool, as a limiter sends them to a store. */
export class PoolPlay {
  readonly #pool: PriorityPoolLimit;
  #states: readonly DescriptorState[] = [null];
  #serial = 0;

  constructor(pool: PriorityPoolLimit) {
    this.#pool = pool;
  }

  /** Asks for a class. A missing unit costs 0. */
  admit(
    atMs: number,
    priority: string,
    cost: Readonly<Record<string, number>>,
  ): AdmitReply & { readonly reservation: Reservation } {
    this.#serial += 1;
    const zeros = Object.fromEntries(Object.keys(this.#pool.capacity).map((unit) => [unit, 0]));
    const limits = poolUnitsOf(this.#pool, classOf(this.#pool, priority));
    const command: AdmitCommand = {
      type: "admit",
      operationId: "",
      serial: this.#serial,
      cost: { ...zeros, ...cost },
      targets: [{ kind: "k", id: "a", limits }],
    };
    const { states, reply } = admit(this.#states, command, atMs);
    this.#states = states;
    return { ...reply, reservation: { command, checks: reply.checks } };
  }

  /** Asks for one request after the other until one is refused or `most` are admitted. */
  admitMany(atMs: number, priority: string, most: number): number {
    for (let admitted = 0; admitted < most; admitted += 1) {
      if (!this.admit(atMs, priority, { requests: 1 }).admitted) return admitted;
    }
    return most;
  }

  /** Settles as a permit does. */
  settle(
    atMs: number,
    reservation: Reservation,
    actual: Parameters<LimiterPermit["settle"]>[0] | "nothing",
  ): void {
    this.#serial += 1;
    const command = settleCommandFor(reservation, actual, this.#serial);
    if (command !== undefined) this.#states = settle(this.#states, command, atMs).states;
  }
}
