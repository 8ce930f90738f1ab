import type { Milliseconds, SlidingWindowLimit } from "../../limit/limit";
import type { SlidingWindowState } from "../state";
import { addUnits, type Charge, canNeverPass, fits, type LimitRules, NEVER } from "./rules";

/*
 * State: `buckets` + 1 counters for consecutive slices of windowMs / buckets, aligned to the epoch,
 * the newest first.
 *
 * Any interval of `windowMs` touches at most `buckets` + 1 slices. All of them are summed, so the
 * sum never undercounts: what was admitted in any interval of `windowMs` is at most `max`. The
 * price is that a unit charged in slice i comes back at the beginning of slice i + buckets + 1:
 * between 0 and one slice late.
 *
 * After a step back of the clock, counts of slices in the future move to the current slice. Their
 * old slices are gone, so the state gets a new serial and refunds into them are dropped.
 */

export const slidingWindowRules: LimitRules<SlidingWindowLimit> = {
  notAhead(state, nowMs, serial) {
    const { limit } = state;
    const newest = sliceOf(limit, nowMs);
    if (state.newest <= newest) return state;
    return { limit, next: null, serial, newest, counts: countsAt(limit, state, nowMs) };
  },

  waitMs(limit, state, cost, nowMs) {
    if (canNeverPass(cost, limit.max)) return NEVER;
    if (state === null) return 0;
    const counts = countsAt(limit, state, nowMs);
    // From the newest on: the first slice with which the cost does not fit is the one that has to
    // go.
    let used = 0;
    for (let age = 0; age < counts.length; age += 1) {
      used = addUnits(used, counts[age] as number);
      if (fits(used, cost, limit.max)) continue;
      return goneAtMs(limit, sliceOf(limit, nowMs) - age) - nowMs;
    }
    return 0;
  },

  charge(limit, state, cost, by) {
    return withUnits(limit, state, 0, cost, by);
  },

  chargedAt(state) {
    return state.newest;
  },

  correct(limit, state, { charged, actual, chargedAt, serial }, by) {
    const delta = actual - charged;
    const age = sliceOf(limit, by.nowMs) - (chargedAt ?? Number.NEGATIVE_INFINITY);
    const isCharged = state?.serial === serial && age >= 0 && age <= limit.buckets;
    if (isCharged) return withUnits(limit, state, age, delta, by);
    return delta < 0 ? state : withUnits(limit, state, 0, delta, by);
  },

  used(limit, state, nowMs) {
    return state === null ? 0 : sum(countsAt(limit, state, nowMs));
  },

  resetAfterMs(limit, state, nowMs) {
    if (state === null) return 0;
    const age = countsAt(limit, state, nowMs).findIndex((count) => count > 0);
    return age < 0 ? 0 : goneAtMs(limit, sliceOf(limit, nowMs) - age) - nowMs;
  },

  expiresAtMs: (state) => goneAtMs(state.limit, state.newest),

  isSameShape: (a, b) => a.unit === b.unit && a.windowMs === b.windowMs && a.buckets === b.buckets,
};

function sliceMs(limit: SlidingWindowLimit): Milliseconds {
  return limit.windowMs / limit.buckets;
}

function sliceOf(limit: SlidingWindowLimit, nowMs: Milliseconds): number {
  return Math.floor(nowMs / sliceMs(limit));
}

/** When the units charged in a slice have come back. */
function goneAtMs(limit: SlidingWindowLimit, slice: number): Milliseconds {
  return (slice + limit.buckets + 1) * sliceMs(limit);
}

/** The counts by age in slices as of now, 0 = the current slice, where the future counts as now. */
function countsAt(
  limit: SlidingWindowLimit,
  state: SlidingWindowState,
  nowMs: Milliseconds,
): readonly number[] {
  const shift = sliceOf(limit, nowMs) - state.newest;
  if (shift === 0) return state.counts;
  const counts = new Array<number>(limit.buckets + 1).fill(0);
  for (const [age, count] of state.counts.entries()) {
    const ageNow = Math.max(0, age + shift);
    if (ageNow < counts.length) counts[ageNow] = addUnits(counts[ageNow] as number, count);
  }
  return counts;
}

/** The state with `units` more (or fewer, not below 0) in the slice of the given age. */
function withUnits(
  limit: SlidingWindowLimit,
  state: SlidingWindowState | null,
  age: number,
  units: number,
  by: Charge,
): SlidingWindowState {
  const counts =
    state === null
      ? new Array<number>(limit.buckets + 1).fill(0)
      : countsAt(limit, state, by.nowMs).slice();
  counts[age] = addUnits(counts[age] as number, units);
  const serial = state === null ? by.serial : state.serial;
  return { limit, next: null, serial, newest: sliceOf(limit, by.nowMs), counts };
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < counts.length; index += 1) {
    total = addUnits(total, counts[index] as number);
  }
  return total;
}
