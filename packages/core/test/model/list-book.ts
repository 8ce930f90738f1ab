import type { Limit } from "@sluice/core";
import { type Book, fits } from "./book";
import { type Charge, sumOf } from "./charge";

/** A book of charges of which each goes away at its own instant: the log and the sliding window. */
export class ListBook<L extends Limit> implements Book<L> {
  readonly #charges: Charge[] = [];
  #changedAtMs = Number.NEGATIVE_INFINITY;
  readonly #goneAtMs: (limit: L, charge: Charge) => number;
  readonly #isKeptByChanges: boolean;

  /** `isKeptByChanges`: a correction keeps the book as long as a charge at its instant would. */
  constructor(goneAtMs: (limit: L, charge: Charge) => number, isKeptByChanges: boolean) {
    this.#goneAtMs = goneAtMs;
    this.#isKeptByChanges = isKeptByChanges;
  }

  used(limit: L, nowMs: number): number {
    return sumOf(this.#counting(limit, nowMs));
  }

  resetAfterMs(limit: L, nowMs: number): number {
    return Math.max(nowMs, ...this.#departuresMs(limit, nowMs)) - nowMs;
  }

  waitMs(limit: L, cost: number, nowMs: number): number {
    for (const instantMs of this.#departuresMs(limit, nowMs)) {
      if (fits(this.used(limit, instantMs), cost, limit.max)) return instantMs - nowMs;
    }
    throw new Error("the model was asked for the wait of a cost that fits or can never fit");
  }

  isOver(limit: L, nowMs: number): boolean {
    if (!this.#isKeptByChanges) return this.#counting(limit, nowMs).length === 0;
    return nowMs >= this.#goneAtMs(limit, { atMs: this.#changedAtMs, units: 0 });
  }

  charge(_limit: L, units: number, nowMs: number): Charge {
    const charge = { atMs: nowMs, units };
    this.#charges.push(charge);
    this.#changedAtMs = nowMs;
    return charge;
  }

  giveBack(limit: L, charge: Charge, units: number, nowMs: number): void {
    if (!this.#counting(limit, nowMs).includes(charge)) return;
    charge.units -= units;
    this.#changedAtMs = nowMs;
  }

  chargeMore(limit: L, charge: Charge, units: number, nowMs: number): void {
    if (!this.#counting(limit, nowMs).includes(charge)) {
      this.charge(limit, units, nowMs);
      return;
    }
    charge.units += units;
    this.#changedAtMs = nowMs;
  }

  #counting(limit: L, nowMs: number): Charge[] {
    return this.#charges.filter((charge) => nowMs < this.#goneAtMs(limit, charge));
  }

  /** The instants at which something goes away, the earliest first. */
  #departuresMs(limit: L, nowMs: number): number[] {
    return this.#counting(limit, nowMs)
      .filter(({ units }) => units > 0)
      .map((charge) => this.#goneAtMs(limit, charge))
      .sort((a, b) => a - b);
  }
}
