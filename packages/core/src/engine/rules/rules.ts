import type { CheckLimit, Milliseconds } from "../../limit/limit";
import type { StateOf } from "../state";

/**
 * The arithmetic of one kind of limit. Pure functions over immutable state; `state` is `null` when
 * nothing (or nothing that is still alive) is stored, and has been through `notAhead`. States are
 * returned without their place in the chain (`next` is `null`).
 *
 * Adding a kind of limit is adding one file of these.
 */
export interface LimitRules<L extends CheckLimit> {
  /**
   * The state with no instant in the future: what lies there, because the clock stepped back,
   * counts as now. A window may get longer by that, never emptier. The same object if nothing lies
   * there.
   */
  notAhead(state: StateOf<L>, nowMs: Milliseconds, serial: number): StateOf<L>;
  /**
   * How long until `cost` passes: 0 if it passes now, {@link NEVER} if no wait helps,
   * {@link UNKNOWN_WAIT} if that depends on others.
   */
  waitMs(limit: L, state: StateOf<L> | null, cost: number, nowMs: Milliseconds): number;
  /** The state after `cost` (1 or more) was charged: another object, unless `by.isInPlace`. */
  charge(limit: L, state: StateOf<L> | null, cost: number, by: Charge): StateOf<L>;
  /** What a later correction must name to find this charge again, right after `charge`. */
  chargedAt(state: StateOf<L>, by: Charge): number;
  /**
   * The state after a charge was corrected by at least one unit, up or down; `null` if nothing is
   * left worth keeping, the same object if nothing was to be corrected.
   */
  correct(limit: L, state: StateOf<L> | null, change: Change, by: Charge): StateOf<L> | null;
  /** Units in use. */
  used(limit: L, state: StateOf<L> | null, nowMs: Milliseconds): number;
  /** Milliseconds until the state is as if nothing had been charged. */
  resetAfterMs(limit: L, state: StateOf<L> | null, nowMs: Milliseconds): Milliseconds;
  /** The instant from which the state means nothing any more, by the limit that wrote it. */
  expiresAtMs(state: StateOf<L>): Milliseconds;
  /**
   * Whether two limits of one name count the same thing, so that one can go on with the other's
   * state.
   */
  isSameShape(a: L, b: L): boolean;
}

/** By whom and when a state is written. */
export interface Charge {
  readonly nowMs: Milliseconds;
  readonly serial: number;
  readonly operationId: string;
  /**
   * Whether the states belong to the caller alone, so that `charge` may write the numbers of a
   * counter into the state that it is given, and return that.
   */
  readonly isInPlace: boolean;
}

/** The correction of one charge: `actual` - `charged` units. */
export interface Change {
  readonly charged: number;
  readonly actual: number;
  readonly chargedAt: number | undefined;
  readonly serial: number;
}

/**
 * Whether the window that is there is the one in which a charge was made. After a step back of the
 * clock that begins earlier, never later.
 */
export function isCharged<S extends { readonly serial: number; readonly startMs: Milliseconds }>(
  state: S | null,
  { serial, chargedAt }: Change,
): state is S {
  return state?.serial === serial && chargedAt !== undefined && state.startMs <= chargedAt;
}

/** No wait helps. */
export const NEVER = Number.POSITIVE_INFINITY;

/** It does not pass now, and when it will depends on others. */
export const UNKNOWN_WAIT = -1;

/** Whether `cost` more fits: all of it, and for cost 0 at least one unit must be free. */
export function fits(used: number, cost: number, max: number): boolean {
  return cost === 0 ? used < max : used + cost <= max;
}

/** Whether no state of the limit, however empty, lets `cost` pass. */
export function canNeverPass(cost: number, max: number): boolean {
  return max === 0 || cost > max;
}

/** Adds without leaving the integers: debts saturate at 2^53 - 1. */
export function addUnits(used: number, units: number): number {
  return Math.min(Math.max(0, used + units), Number.MAX_SAFE_INTEGER);
}

/** A state whose owner writes into it. */
export type Writable<S> = { -readonly [Field in keyof S]: S[Field] };
