import type { Milliseconds, PoolUnitLimit } from "../../limit/limit";
import type { PoolState } from "../state";

/*
 * What classes may still claim of a unit of a pool that lends. With W = windowMs, and φ the elapsed
 * part of the window or the threshold, whichever is more:
 *
 *   claim = ⌊max(0, G - max(v, φ × G))⌋
 *
 * All terms are kept times W: v, what a class has spent of its guaranteed amount G; and φ × G,
 * which is elapsed × G, or `skipped`, the threshold times G times W rounded up to a whole number.
 * The rounding changes no claim, since G × W is whole too and ⌊⌊x⌋ / W⌋ = ⌊x / W⌋. So all terms are
 * integers below 2^53: the constructor sees to max × W. The division by W rounds to no wrong
 * integer, since the quotient times W is below 2^53.
 */

/** φ × G × W of the class at `place`; what belongs to no class has none. */
export function goneOf(limit: PoolUnitLimit, place: number, elapsedMs: Milliseconds): number {
  return Math.max(elapsedMs * (limit.guaranteed[place] ?? 0), limit.skipped[place] ?? 0);
}

/** What the class at `place` may still claim, `elapsedMs` after the window opened. */
export function claimOf(
  limit: PoolUnitLimit,
  place: number,
  spent: number,
  elapsedMs: Milliseconds,
): number {
  const { guaranteed, windowMs } = limit;
  const gone = Math.max(spent, goneOf(limit, place, elapsedMs));
  return Math.max(0, Math.floor(((guaranteed[place] ?? 0) * windowMs - gone) / windowMs));
}

/** What each class has spent, in the order of the limit's classes. */
export function spentBy(limit: PoolUnitLimit, state: PoolState | null): readonly number[] {
  return limit.classes.map((name) => spentOf(limit, state, name));
}

/** What one class has spent of the unit. */
export function spentOf(limit: PoolUnitLimit, state: PoolState | null, name: string): number {
  return state?.classes.find((each) => each.name === name)?.spent[limit.place] ?? 0;
}

/** What all classes but the asking one may still claim together. Never grows as time passes. */
export function claimOfOthers(
  limit: PoolUnitLimit,
  spent: readonly number[],
  elapsedMs: Milliseconds,
): number {
  let total = 0;
  for (let place = 0; place < spent.length; place += 1) {
    if (place !== limit.ownClass) total += claimOf(limit, place, spent[place] as number, elapsedMs);
  }
  return total;
}

/**
 * The first instant of the window after `elapsedMs` at which the others claim no more than `room`,
 * as milliseconds after its opening; `windowMs` if there is none. Found by halving, since the
 * claims never grow.
 */
export function roomAtMs(
  limit: PoolUnitLimit,
  spent: readonly number[],
  room: number,
  elapsedMs: Milliseconds,
): Milliseconds {
  let tooEarly = elapsedMs;
  let late = limit.windowMs;
  while (late - tooEarly > 1) {
    const middle = Math.floor((tooEarly + late) / 2);
    if (claimOfOthers(limit, spent, middle) <= room) late = middle;
    else tooEarly = middle;
  }
  return late;
}
