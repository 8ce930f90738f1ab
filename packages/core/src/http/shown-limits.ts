import type { DescriptorLimit, Milliseconds } from "../limit/limit";
import type { LimitStatus } from "../verdict/verdict";
import { policyNames } from "./policy-name";

/** One limit as headers show it. */
export interface ShownLimit {
  readonly status: LimitStatus;
  /** Its name in the RateLimit fields, different from that of every other status of the answer. */
  readonly policyName: string;
  /** The length of its window; undefined for token buckets and slots, which have none. */
  readonly windowMs: Milliseconds | undefined;
}

/**
 * How many limits the headers of one answer show at most. 16 of the longest names stay below 8 kB,
 * half of what common clients accept for all header fields together.
 */
export const shownLimitsMax = 16;

/**
 * The limits that headers may speak of, in the order of the question. Left out are limits whose
 * state is unknown (`source` is `policy`: nothing is invented) and shadow limits (not in force). Of
 * more than {@link shownLimitsMax} the violated and then the fullest ones are kept.
 *
 * Pure; never throws.
 */
export function shownLimits(statuses: readonly LimitStatus[]): readonly ShownLimit[] {
  const names = policyNames(statuses);
  const shown: ShownLimit[] = [];
  for (const [index, status] of statuses.entries()) {
    if (status.source === "policy") continue;
    const limit = limitOf(status);
    if (limit?.mode === "shadow") continue;
    const policyName = names[index] ?? status.name;
    shown.push({ status, policyName, windowMs: windowOf(limit) });
  }
  return shown.length <= shownLimitsMax ? shown : fullest(shown);
}

function limitOf(status: LimitStatus): DescriptorLimit | undefined {
  return status.descriptor.limits.find((limit) => limit.name === status.name);
}

function windowOf(limit: DescriptorLimit | undefined): Milliseconds | undefined {
  return limit !== undefined && "windowMs" in limit ? limit.windowMs : undefined;
}

function fullest(shown: readonly ShownLimit[]): readonly ShownLimit[] {
  const kept = new Set([...shown].sort(byFullness).slice(0, shownLimitsMax));
  return shown.filter((each) => kept.has(each));
}

function byFullness(a: ShownLimit, b: ShownLimit): number {
  if (a.status.admitted !== b.status.admitted) return a.status.admitted ? 1 : -1;
  return shareLeft(a.status) - shareLeft(b.status);
}

/** The part of a limit that is left, 0 to 1: comparable between units. */
export function shareLeft(status: LimitStatus): number {
  return status.max > 0 ? status.remaining / status.max : 0;
}

/**
 * Whole seconds until the limit helps again, rounded up and never negative: the wait of a violated
 * limit, else the time until it is as if unused.
 */
export function secondsLeft(status: LimitStatus): number {
  return Math.max(0, Math.ceil((status.retryAfterMs ?? status.resetAfterMs) / 1000));
}
