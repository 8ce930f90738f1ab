import { amountsOf } from "../../limit/guaranteed-amounts";
import type { CheckLimit, Milliseconds, PoolUnitLimit, TokenBucketLimit } from "../../limit/limit";
import { thresholdsOf } from "../../limit/pool-units";

/**
 * The part of each limit that this process may use while the store is away: `max` divided by the
 * number of processes, rounded down, but at least 1 (0 stays 0). The rate of a bucket is divided
 * too, and so are the guaranteed amounts of a pool.
 */
export class LocalLimits {
  readonly instances: number;
  readonly #known = new WeakMap<CheckLimit, CheckLimit>();

  constructor(instances: number) {
    this.instances = instances;
  }

  /** The local part of a limit, under the same name; the same object for the same limit. */
  of<L extends CheckLimit>(limit: L): L {
    const known = this.#known.get(limit);
    if (known !== undefined) return known as L;
    const part = this.#partOf(limit);
    this.#known.set(limit, part);
    return part as L;
  }

  maxOf({ max }: Pick<CheckLimit, "max">): number {
    return max === 0 ? 0 : Math.max(1, this.share(max));
  }

  #partOf(limit: CheckLimit): CheckLimit {
    const max = this.maxOf(limit);
    if (limit.kind === "pool-unit") return Object.freeze(this.#poolPart(limit, max));
    if (limit.kind !== "token-bucket") return Object.freeze({ ...limit, max });
    return Object.freeze({ ...limit, max, ...dividedRate(limit, max, this.instances) });
  }

  /** The guaranteed amounts are divided as they were made: together as much as they can be. */
  #poolPart(unit: PoolUnitLimit, max: number): PoolUnitLimit {
    const shares = unit.guaranteed.map((amount) => (unit.max === 0 ? 0 : amount / unit.max));
    const guaranteed = amountsOf(shares, max);
    const maxes = unit.maxes.map((each) => this.maxOf({ max: each }));
    return { ...unit, max, maxes, guaranteed, ...thresholdsOf({ ...unit, max, guaranteed }) };
  }

  /** The part of an amount that is this process's, rounded down. */
  share(units: number): number {
    return Math.floor(units / this.instances);
  }
}

/**
 * A rate of one part in `instances`: exact where the integers allow it, else slower. Capacity and
 * refill times `perMs` stay below 2^53, as in every bucket.
 */
function dividedRate(
  { refill, perMs }: TokenBucketLimit,
  capacity: number,
  instances: number,
): { readonly refill: number; readonly perMs: Milliseconds } {
  const common = greatestCommonDivisor(refill, instances);
  const exact = { refill: refill / common, perMs: perMs * (instances / common) };
  const largest = Math.max(exact.refill, capacity) * exact.perMs;
  if (largest <= Number.MAX_SAFE_INTEGER) return exact;
  if (refill >= instances) return { refill: Math.floor(refill / instances), perMs };
  return { refill: 1, perMs: Math.ceil((perMs * instances) / refill) };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
