import type { ConcurrencyLimit, Milliseconds } from "../../limit/limit";
import type { ConcurrencyState } from "../state";
import { canNeverPass, fits, type LimitRules, NEVER, UNKNOWN_WAIT } from "./rules";

/*
 * State: lease ids and when each expires, in order of expiry.
 *
 * A lease is live while its expiry is later than now. There is no counter beside the leases, so
 * nothing can drift: use is the number of live leases. Each lease carries its own expiry; a holder
 * with a short lease never shortens another's. `limit` is the one with the longest lease since the
 * set was empty: an expiry further away than that can only come from a clock that stepped back, and
 * is cut, so that a crashed holder cannot block its slot for longer than a lease. The set needs no
 * serial: a lease is found by its id.
 */

export const concurrencyRules: LimitRules<ConcurrencyLimit> = {
  notAhead(state, nowMs) {
    const latestMs = nowMs + state.limit.leaseMs;
    if ((state.expiriesMs.at(-1) as number) <= latestMs) return state;
    const expiriesMs = state.expiriesMs.map((each) => Math.min(each, latestMs));
    return leasesState(state.limit, state.ids, expiriesMs);
  },

  waitMs(limit, state, _cost, nowMs) {
    if (canNeverPass(1, limit.max)) return NEVER;
    return fits(liveCount(state, nowMs), 1, limit.max) ? 0 : UNKNOWN_WAIT;
  },

  charge(limit, state, _cost, by) {
    return withLease(limit, state, by.operationId, by);
  },

  chargedAt(state, by) {
    return leaseExpiryMs(state, by.operationId);
  },

  // A slot is never corrected in part: closing a permit frees it, whatever the permit cost.
  correct(_limit, state, _change, by) {
    return state === null ? null : withoutLease(state, by.operationId, by.nowMs);
  },

  used(_limit, state, nowMs) {
    return liveCount(state, nowMs);
  },

  resetAfterMs(_limit, state, nowMs) {
    return state === null ? 0 : Math.max(0, (state.expiriesMs.at(-1) as number) - nowMs);
  },

  expiresAtMs: (state) => state.expiriesMs.at(-1) as number,

  // The length of a lease is an argument, like max.
  isSameShape: () => true,
};

/** Whether this lease is live. */
export function hasLiveLease(state: ConcurrencyState | null, id: string, nowMs: number): boolean {
  return state?.ids.includes(id) === true && leaseExpiryMs(state, id) > nowMs;
}

/** When the lease of `id`, which is in the state, expires. */
export function leaseExpiryMs(state: ConcurrencyState, id: string): Milliseconds {
  return state.expiriesMs[state.ids.indexOf(id)] as number;
}

/** The state with a lease of full length for `id`, new or prolonged; expired ones are dropped. */
export function withLease(
  limit: ConcurrencyLimit,
  state: ConcurrencyState | null,
  id: string,
  by: { readonly nowMs: Milliseconds },
): ConcurrencyState {
  const expiryMs = by.nowMs + limit.leaseMs;
  if (state === null) return leasesState(limit, [id], [expiryMs]);
  const { ids, expiriesMs } = liveLeasesExcept(state, id, by.nowMs);
  let place = ids.length;
  while (place > 0 && (expiriesMs[place - 1] as number) > expiryMs) place -= 1;
  ids.splice(place, 0, id);
  expiriesMs.splice(place, 0, expiryMs);
  const longest = state.limit.leaseMs > limit.leaseMs ? state.limit : limit;
  return leasesState(longest, ids, expiriesMs);
}

/**
 * The state without the lease of `id`; the same object if there is none, `null` if it was the last.
 */
export function withoutLease(
  state: ConcurrencyState,
  id: string,
  nowMs: Milliseconds,
): ConcurrencyState | null {
  if (!state.ids.includes(id)) return state;
  const { ids, expiriesMs } = liveLeasesExcept(state, id, nowMs);
  return ids.length === 0 ? null : leasesState(state.limit, ids, expiriesMs);
}

function liveCount(state: ConcurrencyState | null, nowMs: Milliseconds): number {
  return state === null ? 0 : state.ids.length - expiredCount(state, nowMs);
}

function expiredCount(state: ConcurrencyState, nowMs: Milliseconds): number {
  const firstLive = state.expiriesMs.findIndex((expiryMs) => expiryMs > nowMs);
  return firstLive < 0 ? state.ids.length : firstLive;
}

function liveLeasesExcept(
  state: ConcurrencyState,
  id: string,
  nowMs: Milliseconds,
): { ids: string[]; expiriesMs: Milliseconds[] } {
  const first = expiredCount(state, nowMs);
  const ids = state.ids.slice(first);
  const expiriesMs = state.expiriesMs.slice(first);
  const index = ids.indexOf(id);
  if (index >= 0) {
    ids.splice(index, 1);
    expiriesMs.splice(index, 1);
  }
  return { ids, expiriesMs };
}

function leasesState(
  limit: ConcurrencyLimit,
  ids: readonly string[],
  expiriesMs: readonly Milliseconds[],
): ConcurrencyState {
  return { limit, next: null, serial: 0, ids, expiriesMs };
}
