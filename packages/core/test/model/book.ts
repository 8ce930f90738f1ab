import type { Limit } from "@sluice/core";
import type { Charge } from "./charge";

/**
 * What the naive model writes down for one counting limit of one descriptor. `limit` is an argument
 * of every call, because `max` and the anchor belong to the question and not to the state.
 */
export interface Book<L extends Limit = Limit> {
  used(limit: L, nowMs: number): number;
  /** Milliseconds until nothing of what was charged counts any more. */
  resetAfterMs(limit: L, nowMs: number): number;
  /** Milliseconds until `cost` fits, given that it does not fit now and can fit at all. */
  waitMs(limit: L, cost: number, nowMs: number): number;
  /** Whether what was written has had its time, whatever the arguments of the next question. */
  isOver(limit: L, nowMs: number): boolean;
  charge(limit: L, units: number, nowMs: number): Charge;
  /** Gives `units` of a charge back, if what was charged then still counts. */
  giveBack(limit: L, charge: Charge, units: number, nowMs: number): void;
  /** Charges `units` more: where the charge went, or as debt now if that has ended. */
  chargeMore(limit: L, charge: Charge, units: number, nowMs: number): void;
}

/** The one rule of admission: a cost of 0 needs some room, any other needs room for all of it. */
export function fits(used: number, cost: number, max: number): boolean {
  return cost === 0 ? used < max : used + cost <= max;
}
