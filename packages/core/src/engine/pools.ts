import type { CheckLimit, PoolUnitLimit } from "../limit/limit";
import { isOfAnotherShape } from "./chain";
import { opened } from "./rules/pool-unit";
import type { Charge } from "./rules/rules";
import type { DescriptorState, LimitState, PoolState } from "./state";

/*
 * The units of a pool are checks of their own, but have one state, and are charged together or not
 * at all.
 */

/** Where the state of a unit's pool stands among `count` written nodes; `count` if it does not. */
export function placeOfPool(
  written: readonly LimitState[],
  count: number,
  { name }: PoolUnitLimit,
): number {
  for (let place = 0; place < count; place += 1) {
    const { limit } = written[place] as LimitState;
    if (limit.kind === "pool-unit" && limit.name === name) return place;
  }
  return count;
}

/**
 * Whether every unit of a pool passes. Matters for a shadow pool: an enforced one that does not
 * pass is not charged because nothing is. The check at `check` is that of the limit at `place`.
 */
export function isWholePoolPassing(
  limits: readonly CheckLimit[],
  place: number,
  waitsMs: readonly number[],
  check: number,
): boolean {
  const { name } = limits[place] as CheckLimit;
  for (let other = 0; other < limits.length; other += 1) {
    const { kind, name: otherName } = limits[other] as CheckLimit;
    const isOfPool = kind === "pool-unit" && otherName === name;
    if (isOfPool && waitsMs[check - place + other] !== 0) return false;
  }
  return true;
}

/**
 * The empty window that the refusal of a unit opens, so that its wait can end; `undefined` if there
 * is a window or the wait does not depend on one. State of another shape is left alone: only a
 * charge takes its place.
 */
export function openedByRefusal(
  chain: DescriptorState,
  limit: PoolUnitLimit,
  state: LimitState | null,
  waitMs: number,
  by: Charge,
): PoolState | undefined {
  const window = opened(limit, state as PoolState | null, waitMs, by);
  if (window === undefined || isOfAnotherShape(chain, limit, by.nowMs)) return undefined;
  return window;
}
