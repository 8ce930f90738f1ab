import type { Milliseconds, TokenBucketLimit } from "../../limit/limit";
import type { TokenBucketState } from "../state";
import { addUnits, canNeverPass, fits, type LimitRules, NEVER, type Writable } from "./rules";

/*
 * State: `used` units that are missing from the bucket at instant `atMs`, and how much of the next
 * unit has come back, in parts of 1 / perMs. The level is capacity - used.
 *
 * What is missing is kept instead of the level, because capacity and refill are arguments of each
 * question: no state is a full bucket for every capacity, and two questions that alternate between
 * two capacities never fill it.
 *
 * Refill in exact integers: after `elapsed` ms (elapsed × refill + remainder) / perMs units have
 * come back. The product can exceed 2^53, so it is taken apart: with elapsed = q × perMs + r they
 * are q × refill + (r × refill + remainder) / perMs, and r × refill < refill × perMs < 2^53 by
 * construction of the limit. A full bucket overflows: used = 0, remainder = 0.
 *
 * After a step back of the clock nothing comes back until the clock moves on. Debt is a `used`
 * above the capacity.
 */

export const tokenBucketRules: LimitRules<TokenBucketLimit> = {
  notAhead(state, nowMs) {
    const { limit, serial, used, remainder } = state;
    return state.atMs <= nowMs ? state : bucketState(limit, serial, nowMs, { used, remainder });
  },

  waitMs(limit, state, cost, nowMs) {
    if (canNeverPass(cost, limit.max)) return NEVER;
    if (state === null) return 0;
    const missing = missingAt(limit, state, nowMs);
    if (fits(missing.used, cost, limit.max)) return 0;
    const units = missing.used + Math.max(cost, 1) - limit.max;
    return Math.min(msToRegain(limit, units, missing.remainder), leftMs(state, nowMs));
  },

  charge(limit, state, cost, { nowMs, serial, isInPlace }) {
    if (state === null) {
      const used = Math.min(cost, largestDebt(limit));
      return bucketState(limit, serial, nowMs, { used, remainder: 0 });
    }
    const { used, remainder } = missingAt(limit, state, nowMs);
    const charged = Math.min(addUnits(used, cost), largestDebt(limit));
    if (!isInPlace) return bucketState(limit, state.serial, nowMs, { used: charged, remainder });
    const written: Writable<TokenBucketState> = state;
    written.limit = limit;
    written.used = charged;
    written.atMs = nowMs;
    written.remainder = remainder;
    return written;
  },

  chargedAt(_state, by) {
    return by.nowMs;
  },

  correct(limit, state, { charged, actual, chargedAt, serial }, by) {
    const delta = actual - charged;
    if (delta > 0) return tokenBucketRules.charge(limit, state, delta, by);
    if (state?.serial !== serial || chargedAt === undefined) return state;
    const back = -delta - unitsProduced(limit, chargedAt, by.nowMs);
    if (back <= 0) return state;
    const { used, remainder } = missingAt(limit, state, by.nowMs);
    return used <= back
      ? null
      : bucketState(limit, serial, by.nowMs, { used: used - back, remainder });
  },

  used(limit, state, nowMs) {
    return state === null ? 0 : missingAt(limit, state, nowMs).used;
  },

  resetAfterMs(limit, state, nowMs) {
    if (state === null) return 0;
    const { used, remainder } = missingAt(limit, state, nowMs);
    return used === 0 ? 0 : Math.min(msToRegain(limit, used, remainder), leftMs(state, nowMs));
  },

  expiresAtMs(state) {
    return state.atMs + msToRegain(state.limit, state.used, state.remainder);
  },

  // The rate is an argument like the capacity: what is missing means the same at any refill.
  isSameShape: (a, b) => a.unit === b.unit && a.perMs === b.perMs,
};

interface Missing {
  readonly used: number;
  readonly remainder: number;
}

function missingAt(limit: TokenBucketLimit, state: TokenBucketState, nowMs: Milliseconds): Missing {
  const { refill, perMs } = limit;
  const elapsed = nowMs - state.atMs;
  const whole = Math.floor(elapsed / perMs);
  const parts = (elapsed - whole * perMs) * refill + state.remainder;
  const used = state.used - whole * refill - Math.floor(parts / perMs);
  return used <= 0 ? { used: 0, remainder: 0 } : { used, remainder: parts % perMs };
}

/**
 * Debts saturate where the time to work them off would leave the integers. Not below any capacity.
 */
function largestDebt({ perMs }: TokenBucketLimit): number {
  return Math.floor(Number.MAX_SAFE_INTEGER / perMs);
}

/** How long the state lives on: it is full then at the rate of the limit that wrote it. */
function leftMs(state: TokenBucketState, nowMs: Milliseconds): Milliseconds {
  return tokenBucketRules.expiresAtMs(state) - nowMs;
}

/** Whole units that the rate brings between two instants; none if the clock stepped back. */
function unitsProduced(limit: TokenBucketLimit, fromMs: Milliseconds, toMs: Milliseconds): number {
  const elapsed = Math.max(0, toMs - fromMs);
  const whole = Math.floor(elapsed / limit.perMs);
  const rest = elapsed - whole * limit.perMs;
  return whole * limit.refill + Math.floor((rest * limit.refill) / limit.perMs);
}

/** The least time after which `units` (1 or more) are back, `remainder` being there already. */
function msToRegain(limit: TokenBucketLimit, units: number, remainder: number): Milliseconds {
  const { refill, perMs } = limit;
  const whole = Math.floor(units / refill);
  const rest = units - whole * refill;
  return whole * perMs + Math.ceil((rest * perMs - remainder) / refill);
}

function bucketState(
  limit: TokenBucketLimit,
  serial: number,
  atMs: Milliseconds,
  { used, remainder }: Missing,
): TokenBucketState {
  return { limit, next: null, serial, used, atMs, remainder };
}
