import type { Milliseconds, SlidingLogLimit } from "../../limit/limit";
import type { SlidingLogState } from "../state";
import { addUnits, canNeverPass, fits, type LimitRules, NEVER } from "./rules";

/*
 * State: the instants at which something was charged, the oldest first, and how much.
 *
 * A charge at t counts until t + windowMs, exclusive: exact in both directions. Charges of one
 * millisecond share an entry, so there are at most `max` entries, plus one per late extra charge
 * that found its own entry gone; beyond ENTRIES_MAX the two oldest are merged at the later instant.
 *
 * After a step back of the clock, entries in the future move to now, and the state gets a new
 * serial since an instant names another charge from then on.
 */

/** Bounds the log even if `max` is small and debts are many. */
const ENTRIES_MAX = 2000;

export const slidingLogRules: LimitRules<SlidingLogLimit> = {
  notAhead(state, nowMs, serial) {
    if ((state.instantsMs.at(-1) as number) <= nowMs) return state;
    const log = copyOf(state.limit, state, 0, serial);
    const first = log.instantsMs.findIndex((instantMs) => instantMs >= nowMs);
    const moved = log.costs.splice(first).reduce(addUnits);
    log.instantsMs.splice(first);
    log.instantsMs.push(nowMs);
    log.costs.push(moved);
    return log;
  },

  waitMs(limit, state, cost, nowMs) {
    if (canNeverPass(cost, limit.max)) return NEVER;
    if (state === null) return 0;
    const first = firstAlive(limit, state, nowMs);
    // From the newest on: the first entry with which the cost does not fit is the one that has to
    // go.
    let used = 0;
    for (let index = state.costs.length - 1; index >= first; index -= 1) {
      used = addUnits(used, state.costs[index] as number);
      if (fits(used, cost, limit.max)) continue;
      return (state.instantsMs[index] as number) + limit.windowMs - nowMs;
    }
    return 0;
  },

  charge(limit, state, cost, { nowMs, serial }) {
    if (state === null) {
      return { limit, next: null, serial, instantsMs: [nowMs], costs: [cost] };
    }
    const log = copyOf(limit, state, firstAlive(limit, state, nowMs), state.serial);
    const last = log.instantsMs.length - 1;
    if (log.instantsMs[last] === nowMs) {
      log.costs[last] = addUnits(log.costs[last] as number, cost);
    } else {
      log.instantsMs.push(nowMs);
      log.costs.push(cost);
    }
    if (log.instantsMs.length > ENTRIES_MAX) mergeOldest(log);
    return log;
  },

  chargedAt(_state, by) {
    return by.nowMs;
  },

  correct(limit, state, { charged, actual, chargedAt, serial }, by) {
    const delta = actual - charged;
    if (state?.serial === serial && chargedAt !== undefined) {
      const log = copyOf(limit, state, firstAlive(limit, state, by.nowMs), state.serial);
      const index = log.instantsMs.indexOf(chargedAt);
      if (index >= 0) {
        log.costs[index] = addUnits(log.costs[index] as number, delta);
        return log;
      }
    }
    return delta < 0 ? state : slidingLogRules.charge(limit, state, delta, by);
  },

  used(limit, state, nowMs) {
    return state === null ? 0 : sumFrom(state, firstAlive(limit, state, nowMs));
  },

  resetAfterMs(limit, state, nowMs) {
    if (state === null) return 0;
    const last = state.costs.findLastIndex((cost) => cost > 0);
    if (last < 0) return 0;
    return Math.max(0, (state.instantsMs[last] as number) + limit.windowMs - nowMs);
  },

  expiresAtMs: (state) => (state.instantsMs.at(-1) as number) + state.limit.windowMs,

  isSameShape: (a, b) => a.unit === b.unit && a.windowMs === b.windowMs,
};

/** A log under construction. */
type OpenLog = SlidingLogState & { instantsMs: Milliseconds[]; costs: number[] };

function copyOf(
  limit: SlidingLogLimit,
  state: SlidingLogState,
  first: number,
  serial: number,
): OpenLog {
  const instantsMs = state.instantsMs.slice(first);
  return { limit, next: null, serial, instantsMs, costs: state.costs.slice(first) };
}

/** The index of the oldest entry that still counts. */
function firstAlive(limit: SlidingLogLimit, state: SlidingLogState, nowMs: number): number {
  const newestGoneMs = nowMs - limit.windowMs;
  let low = 0;
  let high = state.instantsMs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((state.instantsMs[middle] as number) <= newestGoneMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sumFrom(state: SlidingLogState, first: number): number {
  let total = 0;
  for (let index = first; index < state.costs.length; index += 1) {
    total = addUnits(total, state.costs[index] as number);
  }
  return total;
}

function mergeOldest(log: OpenLog): void {
  log.costs[1] = addUnits(log.costs[0] as number, log.costs[1] as number);
  log.costs.shift();
  log.instantsMs.shift();
}
