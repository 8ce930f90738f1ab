import { PermitStateError } from "../error/permit-state-error";
import type { PermitClosedEvent } from "../event/event";
import { type Recorder, record } from "../event/recorder";
import { describe } from "../options/problems";
import type { Random } from "../random/random";
import { COST_EXPECTED, isCost, type Units } from "./full-cost";
import type { HeldLease, LeaseKeeper } from "./lease-keeper";
import type { LimiterPermit } from "./permit";
import type { PermitCloser } from "./permit-closer";
import type { Cost } from "./question";
import type { Reservation } from "./reservation";

/** What all permits of one limiter share. */
export interface PermitContext {
  readonly units: Units;
  readonly closer: PermitCloser;
  readonly keeper: LeaseKeeper;
  readonly recorder: Recorder | undefined;
  readonly random: Random;
}

/**
 * A permit of a question that a store admitted. Without a reservation it holds nothing: what a policy
 * of `admit` gives out while the store is away.
 */
export class StorePermit implements LimiterPermit {
  readonly #context: PermitContext;
  readonly #reservation: Reservation | undefined;
  #id: string;
  #leases: readonly HeldLease[] | undefined;
  #lost: AbortController | undefined;
  #isLost = false;
  #isClosed = false;
  #noted: Cost | undefined;
  #isRefundAsked = false;

  constructor(id: string, context: PermitContext, reservation: Reservation | undefined) {
    this.#id = id;
    this.#context = context;
    this.#reservation = reservation;
  }

  /** Most permits are never asked for their id: it is made when it is. */
  get id(): string {
    if (this.#id === "") this.#id = this.#context.random.id();
    return this.#id;
  }

  /** Hands over the leases of this permit, which are renewed until it is closed. */
  hold(leases: readonly HeldLease[]): void {
    this.#leases = leases;
    for (const lease of leases) this.#context.keeper.keep(lease);
  }

  /** Tells that one of its leases is over. */
  lose(): void {
    if (this.#isClosed) return;
    this.#isLost = true;
    this.#lost?.abort();
  }

  get lost(): AbortSignal {
    if (this.#lost === undefined) {
      this.#lost = new AbortController();
      if (this.#isLost) this.#lost.abort();
    }
    return this.#lost.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async settle(actual: Cost): Promise<void> {
    this.#check(actual);
    if (!this.#close("settled") || this.#reservation === undefined) return;
    await this.#context.closer.settle(this.#reservation, { ...actual });
  }

  async release(): Promise<void> {
    if (!this.#close("released") || this.#reservation === undefined) return;
    await this.#context.closer.release(this.#reservation);
  }

  async refund(): Promise<void> {
    if (!this.#close("refunded") || this.#reservation === undefined) return;
    await this.#context.closer.settle(this.#reservation, "nothing");
  }

  usage(actual: Cost): void {
    this.#check(actual);
    this.#noted = { ...actual };
  }

  refundAtEnd(): void {
    this.#isRefundAsked = true;
  }

  get hasNotes(): boolean {
    return this.#isRefundAsked || this.#noted !== undefined;
  }

  finish(): Promise<void> {
    if (this.#isRefundAsked) return this.refund();
    return this.#noted === undefined ? this.release() : this.settle(this.#noted);
  }

  /** True for the first call only. */
  #close(how: PermitClosedEvent["how"]): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    for (const lease of this.#leases ?? []) this.#context.keeper.drop(lease);
    if (this.#context.recorder !== undefined) {
      record(this.#context.recorder, { type: "permit_closed", permitId: this.id, how });
    }
    return true;
  }

  #check(actual: Cost): void {
    if (typeof actual !== "object" || actual === null) {
      throw new PermitStateError(`Expected units and costs, received ${describe(actual)}`, this.id);
    }
    for (const [unit, value] of Object.entries(actual)) {
      if (!this.#context.units.has(unit)) {
        const known = this.#context.units.names.join(", ");
        throw new PermitStateError(
          `Expected a declared unit (${known}), received ${describe(unit)}`,
          this.id,
        );
      }
      if (!isCost(value)) {
        const received = describe(value);
        throw new PermitStateError(
          `Expected ${COST_EXPECTED} of ${unit}, received ${received}`,
          this.id,
        );
      }
    }
  }
}
