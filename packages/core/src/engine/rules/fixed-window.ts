import type { FixedWindowLimit, Milliseconds } from "../../limit/limit";
import type { FixedWindowState } from "../state";
import {
  addUnits,
  canNeverPass,
  fits,
  isCharged,
  type LimitRules,
  NEVER,
  type Writable,
} from "./rules";

/*
 * State: the instant at which the window opened and the units charged in it.
 *
 * The window ends `windowMs` after it opened, or, with the epoch anchor, at the next multiple of
 * `windowMs`. The anchor is an argument of the question like `max`: only where the end lies depends
 * on it.
 *
 * Invariant: between opening and end, used = sum of the admitted costs - refunds + extra charges.
 */

export const fixedWindowRules: LimitRules<FixedWindowLimit> = {
  notAhead(state, nowMs) {
    return state.startMs <= nowMs
      ? state
      : windowState(state.limit, state.serial, nowMs, state.used);
  },

  waitMs(limit, state, cost, nowMs) {
    if (canNeverPass(cost, limit.max)) return NEVER;
    if (!isOpen(limit, state, nowMs) || fits(state.used, cost, limit.max)) return 0;
    return endOf(limit, state) - nowMs;
  },

  charge(limit, state, cost, { nowMs, serial, isInPlace }) {
    if (!isOpen(limit, state, nowMs)) return windowState(limit, serial, nowMs, cost);
    const used = addUnits(state.used, cost);
    if (!isInPlace) return windowState(limit, state.serial, state.startMs, used);
    const written: Writable<FixedWindowState> = state;
    written.limit = limit;
    written.used = used;
    return written;
  },

  chargedAt(state) {
    return state.startMs;
  },

  correct(limit, state, change, by) {
    const delta = change.actual - change.charged;
    if (delta > 0) return fixedWindowRules.charge(limit, state, delta, by);
    if (!isCharged(state, change) || !isOpen(limit, state, by.nowMs)) return state;
    return windowState(limit, state.serial, state.startMs, addUnits(state.used, delta));
  },

  used(limit, state, nowMs) {
    return isOpen(limit, state, nowMs) ? state.used : 0;
  },

  resetAfterMs(limit, state, nowMs) {
    return isOpen(limit, state, nowMs) ? endOf(limit, state) - nowMs : 0;
  },

  // Not the epoch end: a later question with the other anchor must find the same state, swept or
  // not.
  expiresAtMs: (state) => state.startMs + state.limit.windowMs,

  isSameShape: (a, b) => a.unit === b.unit && a.windowMs === b.windowMs,
};

function isOpen(
  limit: FixedWindowLimit,
  state: FixedWindowState | null,
  nowMs: Milliseconds,
): state is FixedWindowState {
  return state !== null && nowMs < endOf(limit, state);
}

function endOf(limit: FixedWindowLimit, state: FixedWindowState): Milliseconds {
  const { startMs } = state;
  const openedMs = limit.anchor === "epoch" ? startMs - (startMs % limit.windowMs) : startMs;
  return openedMs + limit.windowMs;
}

function windowState(
  limit: FixedWindowLimit,
  serial: number,
  startMs: Milliseconds,
  used: number,
): FixedWindowState {
  return { limit, next: null, serial, startMs, used };
}
