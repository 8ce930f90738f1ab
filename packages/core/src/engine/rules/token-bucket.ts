import type { Milliseconds, TokenBucketLimit } from "../../limit/limit";
import type { TokenBucketState } from "../state";
import { canNeverPass, fits, type LimitRules, NEVER } from "./rules";

/*
 * State: `level` whole units at instant `atMs`, and `remainder` in units of 1 / perMs.
 *
 * Refill in exact integers: after `elapsed` ms the bucket has gained
 * (elapsed × refill + remainder) / perMs units. The product can exceed 2^53, so it is taken apart:
 * with elapsed = q × perMs + r the gain is q × refill + (r × refill + remainder) / perMs, and
 * r × refill < refill × perMs < 2^53 by construction of the limit. At the capacity the bucket
 * overflows: level = capacity, remainder = 0.
 *
 * No state is a full bucket, so a bucket expires when it is full. After a step back of the clock
 * nothing is gained until the clock moves on. Debt is a level below 0.
 */

export const tokenBucketRules: LimitRules<TokenBucketLimit> = {
  notAhead(state, nowMs) {
    const { limit, serial, level, remainder } = state;
    return state.atMs <= nowMs ? state : bucketState(limit, serial, nowMs, { level, remainder });
  },

  waitMs(limit, state, cost, nowMs) {
    if (canNeverPass(cost, limit.max)) return NEVER;
    const { level, remainder } = levelAt(limit, state, nowMs);
    if (fits(limit.max - level, cost, limit.max)) return 0;
    return msToGain(limit, Math.max(cost, 1) - level, remainder);
  },

  charge(limit, state, cost, { nowMs, serial }) {
    const { level, remainder } = levelAt(limit, state, nowMs);
    // Bounded so that capacity - level stays an exact integer, however large the debts.
    const charged = Math.max(level - cost, limit.max - Number.MAX_SAFE_INTEGER);
    const identity = state === null ? serial : state.serial;
    return bucketState(limit, identity, nowMs, { level: charged, remainder });
  },

  chargedAt(_state, by) {
    return by.nowMs;
  },

  correct(limit, state, { charged, actual, chargedAt, serial }, by) {
    const delta = actual - charged;
    if (delta > 0) return tokenBucketRules.charge(limit, state, delta, by);
    if (state?.serial !== serial || chargedAt === undefined) return state;
    const { level, remainder } = levelAt(limit, state, by.nowMs);
    const back = Math.max(0, -delta - unitsProduced(limit, chargedAt, by.nowMs));
    return bucketState(limit, serial, by.nowMs, atMost(limit, level + back, remainder));
  },

  used(limit, state, nowMs) {
    return limit.max - levelAt(limit, state, nowMs).level;
  },

  resetAfterMs(limit, state, nowMs) {
    const { level, remainder } = levelAt(limit, state, nowMs);
    return level >= limit.max ? 0 : msToGain(limit, limit.max - level, remainder);
  },

  expiresAtMs(state) {
    return state.atMs + tokenBucketRules.resetAfterMs(state.limit, state, state.atMs);
  },

  isSameShape: (a, b) => a.unit === b.unit && a.refill === b.refill && a.perMs === b.perMs,
};

interface Level {
  readonly level: number;
  readonly remainder: number;
}

function levelAt(limit: TokenBucketLimit, state: TokenBucketState | null, nowMs: number): Level {
  if (state === null) return { level: limit.max, remainder: 0 };
  const { refill, perMs } = limit;
  const elapsed = nowMs - state.atMs;
  const whole = Math.floor(elapsed / perMs);
  const parts = (elapsed - whole * perMs) * refill + state.remainder;
  const level = state.level + whole * refill + Math.floor(parts / perMs);
  return atMost(limit, level, parts % perMs);
}

/** A level that overflows at the capacity. */
function atMost(limit: TokenBucketLimit, level: number, remainder: number): Level {
  return level >= limit.max ? { level: limit.max, remainder: 0 } : { level, remainder };
}

/** Whole units that the rate brings between two instants; none if the clock stepped back. */
function unitsProduced(limit: TokenBucketLimit, fromMs: Milliseconds, toMs: Milliseconds): number {
  const elapsed = Math.max(0, toMs - fromMs);
  const whole = Math.floor(elapsed / limit.perMs);
  const rest = elapsed - whole * limit.perMs;
  return whole * limit.refill + Math.floor((rest * limit.refill) / limit.perMs);
}

/** The least time after which `units` (1 or more) have come in, `remainder` being there already. */
function msToGain(limit: TokenBucketLimit, units: number, remainder: number): Milliseconds {
  const { refill, perMs } = limit;
  const whole = Math.floor(units / refill);
  const rest = units - whole * refill;
  return whole * perMs + Math.ceil((rest * perMs - remainder) / refill);
}

function bucketState(
  limit: TokenBucketLimit,
  serial: number,
  atMs: Milliseconds,
  { level, remainder }: Level,
): TokenBucketState {
  return { limit, next: null, serial, level, atMs, remainder };
}
