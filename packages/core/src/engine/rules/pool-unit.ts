import type { Milliseconds, PoolUnitLimit } from "../../limit/limit";
import type { PoolClass, PoolState } from "../state";
import { claimOf, claimOfOthers, goneOf, roomAtMs, spentBy, spentOf } from "./pool-claims";
import { addUnits, type Charge, isCharged, type LimitRules, NEVER, UNKNOWN_WAIT } from "./rules";

/*
 * One unit of a pool, asked by one class. The units of a pool share a state: the instant at which
 * its window opened, use per unit, and use and what is spent (pool-claims.ts) per class and unit.
 *
 * The capacity always binds. While no more than the threshold is in use nothing else does; beyond
 * it, `strict` asks whether the class stays within its guaranteed amount, and `lend` whether the
 * class still has a claim to the cost or what is left exceeds the claims of the others by it.
 *
 * A charge beyond the threshold spends: v = max(v, φ × G) + cost. Then total + sum of claims never
 * exceeds max while `lend` admits: a class that uses its claim lowers it by as much as it adds to
 * the total, and one that uses what is left leaves the claims of the others room. A refund takes
 * from the total, the class and v alike, so a claim grows by no more than the total falls.
 *
 * When a cost passes that does not now: `strict` does not depend on time, so in the next window.
 * Under `lend` claims only shrink as time passes, so at the first instant at which they leave room.
 * For that the window must be open, or a class without a claim would be refused for ever: a refusal
 * that finds no window opens an empty one (see `opened`). The wait is unknown in one case: the cost
 * does not pass in this window any more, and in the next one not from its beginning, which nobody
 * knows yet.
 *
 * Invariant: while the window is open, used = sum of the admitted costs - refunds + extra charges,
 * per unit and per class.
 */

export const poolUnitRules: LimitRules<PoolUnitLimit> = {
  notAhead(state, nowMs) {
    return state.startMs <= nowMs ? state : { ...state, next: null, startMs: nowMs };
  },

  waitMs(limit, state, cost, nowMs) {
    if (neverPasses(limit, cost)) return NEVER;
    const needed = Math.max(cost, 1);
    const left = limit.max - usedOf(limit, state) - needed;
    if (left < 0) return untilNext(limit, state as PoolState, cost, nowMs);
    if (isFree(limit, state, cost)) return 0;
    if (limit.whenSaturated === "strict") {
      if (poolClassUsed(limit, state) + needed <= ownAmount(limit)) return 0;
      return untilNext(limit, state as PoolState, cost, nowMs);
    }
    const elapsedMs = state === null ? 0 : nowMs - state.startMs;
    if (needed <= ownClaim(limit, state, elapsedMs)) return 0;
    const spent = spentBy(limit, state);
    if (claimOfOthers(limit, spent, elapsedMs) <= left) return 0;
    const atMs = roomAtMs(limit, spent, left, elapsedMs);
    if (atMs < limit.windowMs) return atMs - elapsedMs;
    return untilNext(limit, state as PoolState, cost, nowMs);
  },

  charge(limit, state, cost, { nowMs, serial }) {
    const { place } = limit;
    const { startMs, used, classes, ...opened } = state ?? emptyWindow(limit, nowMs, serial);
    const isSpent = limit.whenSaturated === "lend" && !isFree(limit, state, cost);
    const before = spentOf(limit, state, className(limit));
    const spent = isSpent ? spentAfter(limit, before, cost, nowMs - startMs) : before;
    const total = addUnits(used[place] as number, cost);
    const own = addUnits(poolClassUsed(limit, state), cost);
    return {
      limit,
      next: null,
      serial: opened.serial,
      startMs,
      used: used.with(place, total),
      classes: withClass(limit, classes, own, spent),
    };
  },

  chargedAt: (state) => state.startMs,

  correct(limit, state, change, by) {
    const delta = change.actual - change.charged;
    if (delta > 0) return poolUnitRules.charge(limit, state, delta, by);
    if (!isCharged(state, change)) return state;
    const { place, windowMs } = limit;
    const used = state.used.with(place, addUnits(state.used[place] as number, delta));
    const own = addUnits(poolClassUsed(limit, state), delta);
    const refunded = Math.min(-delta * windowMs, Number.MAX_SAFE_INTEGER);
    const spent = Math.max(0, spentOf(limit, state, className(limit)) - refunded);
    return { ...state, next: null, used, classes: withClass(limit, state.classes, own, spent) };
  },

  used: usedOf,

  // An open window in which nothing is used is as good as none.
  resetAfterMs(limit, state, nowMs) {
    return state === null || usedOf(limit, state) === 0 ? 0 : leftMs(limit, state, nowMs);
  },

  expiresAtMs: (state) => state.startMs + state.limit.windowMs,

  isSameShape: (a, b) => a.units === b.units && a.windowMs === b.windowMs,
};

/** What the asking class has used of the unit. */
export function poolClassUsed(limit: PoolUnitLimit, state: PoolState | null): number {
  const name = className(limit);
  return state?.classes.find((each) => each.name === name)?.used[limit.place] ?? 0;
}

/** Whether no state of the pool lets `cost` pass. The emptiest one is the best for it. */
export function neverPasses(limit: PoolUnitLimit, cost: number): boolean {
  const { max, windowMs } = limit;
  const needed = Math.max(cost, 1);
  if (needed > max) return true;
  if (isFree(limit, null, cost)) return false;
  if (limit.whenSaturated === "strict") return needed > ownAmount(limit);
  if (needed <= ownClaim(limit, null, 0)) return false;
  return claimOfOthers(limit, spentBy(limit, null), windowMs - 1) > max - needed;
}

/**
 * The empty window that a refusal opens, if the pool has none and some wait helps: `undefined` in
 * every other case. Nothing is charged by it.
 */
export function opened(
  limit: PoolUnitLimit,
  state: PoolState | null,
  waitMs: number,
  at: Pick<Charge, "nowMs" | "serial">,
): PoolState | undefined {
  if (state !== null || waitMs === 0 || waitMs === NEVER) return undefined;
  return emptyWindow(limit, at.nowMs, at.serial);
}

/** When the cost passes that has to wait for the end of this window. */
function untilNext(limit: PoolUnitLimit, state: PoolState, cost: number, nowMs: number): number {
  const isPassing =
    isFree(limit, null, cost) ||
    limit.whenSaturated === "strict" ||
    Math.max(cost, 1) <= ownClaim(limit, null, 0) ||
    claimOfOthers(limit, spentBy(limit, null), 0) <= limit.max - Math.max(cost, 1);
  return isPassing ? leftMs(limit, state, nowMs) : UNKNOWN_WAIT;
}

/** Whether `cost` stays below the threshold, so that only the capacity binds. */
function isFree(limit: PoolUnitLimit, state: PoolState | null, cost: number): boolean {
  const used = usedOf(limit, state);
  return cost === 0 ? used < limit.freeForNone : used + cost <= limit.free;
}

function usedOf(limit: PoolUnitLimit, state: PoolState | null): number {
  return state === null ? 0 : (state.used[limit.place] as number);
}

function leftMs(limit: PoolUnitLimit, state: PoolState, nowMs: Milliseconds): Milliseconds {
  return state.startMs + limit.windowMs - nowMs;
}

function ownAmount(limit: PoolUnitLimit): number {
  return limit.guaranteed[limit.ownClass] ?? 0;
}

function ownClaim(limit: PoolUnitLimit, state: PoolState | null, elapsedMs: number): number {
  return claimOf(limit, limit.ownClass, spentOf(limit, state, className(limit)), elapsedMs);
}

/** What is spent after a charge, kept times windowMs; saturates like every debt. */
function spentAfter(limit: PoolUnitLimit, spent: number, cost: number, elapsedMs: number): number {
  const largest = Number.MAX_SAFE_INTEGER;
  const added = Math.min(cost, Math.floor(largest / limit.windowMs)) * limit.windowMs;
  return addUnits(Math.max(spent, goneOf(limit, limit.ownClass, elapsedMs)), added);
}

/** A name that no class can have stands for what belongs to none. */
function className({ classes, ownClass }: PoolUnitLimit): string {
  return classes[ownClass] ?? "";
}

function withClass(
  limit: PoolUnitLimit,
  classes: readonly PoolClass[],
  used: number,
  spent: number,
): readonly PoolClass[] {
  const name = className(limit);
  const { place } = limit;
  const index = classes.findIndex((each) => each.name === name);
  const zeros = limit.maxes.map(() => 0);
  const own = classes[index] ?? { name, used: zeros, spent: zeros };
  const changed = { name, used: own.used.with(place, used), spent: own.spent.with(place, spent) };
  return index < 0 ? [...classes, changed] : classes.with(index, changed);
}

function emptyWindow(limit: PoolUnitLimit, startMs: Milliseconds, serial: number): PoolState {
  return { limit, next: null, serial, startMs, used: limit.maxes.map(() => 0), classes: [] };
}
