import type { ConcurrencyLimit, Milliseconds } from "./limit";
import { type CommonLimitOptions, DURATION_MAX_MS, LimitReader } from "./limit-options";

/** Options of {@link concurrency}. */
export interface ConcurrencyOptions extends CommonLimitOptions {
  /** Live leases at most: an integer from 0 to 100 000. 0 admits nothing. */
  readonly max: number;
  /**
   * How long a slot outlives a holder that crashed: 10 ms to 100 years. Live holders renew at a
   * quarter of it. Shorter frees crashed slots sooner and renews more often.
   *
   * @defaultValue 30 000
   */
  readonly leaseMs?: Milliseconds;
  /**
   * How long a permit is renewed at most, at least `leaseMs`. After that it is reported as overdue
   * and its lease runs out.
   *
   * @defaultValue 86 400 000 (one day), or `leaseMs` if that is longer
   */
  readonly maxHoldMs?: Milliseconds;
}

/** A taken slot copies the set of leases; above this size the copy would be felt. */
const SLOTS_MAX = 100_000;

/** Renewals run at a quarter of a lease; below this timers cannot keep up. */
const LEASE_MIN_MS = 10;

/** A day, in milliseconds. */
const HOLD_DEFAULT_MS = 86_400_000;

/**
 * Parallel slots. Never more than `max` live leases; the slot of a crashed holder is back within
 * `leaseMs` while others keep the key busy. A slot belongs to its holder, by lease id.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks A lease cannot stop a paused holder that goes on after its lease is over: the promise is
 * "at most `max` unexpired leases by the store's clock" (Kleppmann, "How to do distributed
 * locking"). `permit.lost` tells such a holder.
 */
export function concurrency(options: ConcurrencyOptions): ConcurrencyLimit {
  const read = new LimitReader("concurrency", options, ["max", "leaseMs", "maxHoldMs"]);
  const max = read.options.integer("max", { min: 0, max: SLOTS_MAX });
  const problemsBefore = read.problemCount;
  const leaseMs = read.options.integer("leaseMs", {
    min: LEASE_MIN_MS,
    max: DURATION_MAX_MS,
    fallback: 30_000,
  });
  const maxHoldMs = read.durationMs("maxHoldMs", Math.max(HOLD_DEFAULT_MS, leaseMs));
  if (read.problemCount === problemsBefore && maxHoldMs < leaseMs) {
    read.options.problem("maxHoldMs", `at least leaseMs (${leaseMs})`);
  }
  return read.done({
    kind: "concurrency",
    name: read.name("concurrency-slots"),
    unit: "slots",
    max,
    leaseMs,
    maxHoldMs,
    mode: read.mode(),
  });
}
