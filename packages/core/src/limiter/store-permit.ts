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

const done = Promise.resolve();

/** What only some permits need; made when one does, because every verdict makes a permit. */
interface Extras {
  id: string | undefined;
  leases: readonly HeldLease[];
  lost: AbortController | undefined;
  isLost: boolean;
  noted: Cost | undefined;
  isRefundAsked: boolean;
}

/**
 * A permit of a question that a store admitted. Without a reservation it holds nothing: what a
 * policy of `admit` gives out while the store is away.
 */
export class StorePermit implements LimiterPermit {
  readonly #context: PermitContext;
  readonly #reservation: Reservation | undefined;
  #isClosed = false;
  #extras: Extras | undefined;

  constructor(context: PermitContext, reservation: Reservation | undefined) {
    this.#context = context;
    this.#reservation = reservation;
  }

  get id(): string {
    const named = this.#reservation?.command.operationId ?? "";
    if (named !== "") return named;
    const extras = this.#need();
    extras.id ??= this.#context.random.id();
    return extras.id;
  }

  /** Hands over the leases of this permit, which are renewed until it is closed. */
  hold(leases: readonly HeldLease[]): void {
    this.#need().leases = leases;
    for (const lease of leases) this.#context.keeper.keep(lease);
  }

  /** Tells that one of its leases is over. */
  lose(): void {
    if (this.#isClosed) return;
    const extras = this.#need();
    extras.isLost = true;
    extras.lost?.abort();
  }

  get lost(): AbortSignal {
    const extras = this.#need();
    if (extras.lost === undefined) {
      extras.lost = new AbortController();
      if (extras.isLost) extras.lost.abort();
    }
    return extras.lost.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get hasNotes(): boolean {
    const extras = this.#extras;
    return extras !== undefined && (extras.isRefundAsked || extras.noted !== undefined);
  }

  async settle(actual: Cost): Promise<void> {
    this.#check(actual);
    if (!this.#close("settled") || this.#reservation === undefined) return;
    await this.#context.closer.settle(this.#reservation, { ...actual });
  }

  release(): Promise<void> {
    const reservation = this.#reservation;
    const isFirst = this.#close("released");
    // Without slots there is nothing to send: the usual end of a request, which needs no promise.
    if (!isFirst || reservation === undefined || reservation.command.operationId === "")
      return done;
    return this.#context.closer.release(reservation);
  }

  async refund(): Promise<void> {
    if (!this.#close("refunded") || this.#reservation === undefined) return;
    await this.#context.closer.settle(this.#reservation, "nothing");
  }

  usage(actual: Cost): void {
    this.#check(actual);
    this.#need().noted = { ...actual };
  }

  refundAtEnd(): void {
    this.#need().isRefundAsked = true;
  }

  finish(): Promise<void> {
    if (this.#extras?.isRefundAsked === true) return this.refund();
    const noted = this.#extras?.noted;
    return noted === undefined ? this.release() : this.settle(noted);
  }

  #need(): Extras {
    this.#extras ??= {
      id: undefined,
      leases: [],
      lost: undefined,
      isLost: false,
      noted: undefined,
      isRefundAsked: false,
    };
    return this.#extras;
  }

  /** True for the first call only. */
  #close(how: PermitClosedEvent["how"]): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    for (const lease of this.#extras?.leases ?? []) this.#context.keeper.drop(lease);
    if (this.#context.recorder !== undefined) {
      record(this.#context.recorder, { type: "permit_closed", permitId: this.id, how });
    }
    return true;
  }

  /** @throws PermitStateError */
  #check(actual: Cost): void {
    if (typeof actual !== "object" || actual === null || Array.isArray(actual)) {
      throw new PermitStateError(`Expected units and costs, received ${describe(actual)}`, this.id);
    }
    const { units } = this.#context;
    for (const [unit, value] of Object.entries(actual)) {
      if (value === undefined && units.has(unit)) continue;
      const expected = units.has(unit)
        ? `${COST_EXPECTED} of ${unit}`
        : `a declared unit (${units.names.join(", ")})`;
      if (units.has(unit) && isCost(value)) continue;
      const received = describe(units.has(unit) ? value : unit);
      throw new PermitStateError(`Expected ${expected}, received ${received}`, this.id);
    }
  }
}
