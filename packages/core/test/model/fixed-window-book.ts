import type { FixedWindowLimit } from "@sluice/core";
import type { Book } from "./book";
import { type Charge, sumOf } from "./charge";

interface Window {
  readonly startMs: number;
  readonly charges: Charge[];
}

/** A fixed window as the list of what was charged while it was open. */
export class FixedWindowBook implements Book<FixedWindowLimit> {
  #last: Window | undefined;

  used(limit: FixedWindowLimit, nowMs: number): number {
    return sumOf(this.#open(limit, nowMs)?.charges ?? []);
  }

  resetAfterMs(limit: FixedWindowLimit, nowMs: number): number {
    const window = this.#open(limit, nowMs);
    return window === undefined ? 0 : endOf(limit, window) - nowMs;
  }

  waitMs(limit: FixedWindowLimit, _cost: number, nowMs: number): number {
    return this.resetAfterMs(limit, nowMs);
  }

  /** A question with the other anchor may find a window open that is over for this one. */
  isOver(limit: FixedWindowLimit, nowMs: number): boolean {
    return this.#last === undefined || nowMs >= this.#last.startMs + limit.windowMs;
  }

  charge(limit: FixedWindowLimit, units: number, nowMs: number): Charge {
    const window = this.#open(limit, nowMs) ?? { startMs: nowMs, charges: [] };
    const charge = { atMs: nowMs, units };
    window.charges.push(charge);
    this.#last = window;
    return charge;
  }

  giveBack(limit: FixedWindowLimit, charge: Charge, units: number, nowMs: number): void {
    if (this.#open(limit, nowMs)?.charges.includes(charge)) charge.units -= units;
  }

  chargeMore(limit: FixedWindowLimit, charge: Charge, units: number, nowMs: number): void {
    if (this.#open(limit, nowMs)?.charges.includes(charge)) charge.units += units;
    else this.charge(limit, units, nowMs);
  }

  #open(limit: FixedWindowLimit, nowMs: number): Window | undefined {
    const last = this.#last;
    return last !== undefined && nowMs < endOf(limit, last) ? last : undefined;
  }
}

/** When a window ends, for a question with this anchor. */
function endOf(limit: FixedWindowLimit, { startMs }: Window): number {
  if (limit.anchor === "first-request") return startMs + limit.windowMs;
  return (Math.floor(startMs / limit.windowMs) + 1) * limit.windowMs;
}
