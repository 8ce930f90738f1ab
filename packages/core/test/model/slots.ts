import type { ConcurrencyLimit } from "@sluice/core";

/** One taken slot. */
export interface Lease {
  /** Milliseconds from every renewal to its end. */
  readonly leaseMs: number;
  /** Whether the holder lives: then it renews, and the lease does not end. */
  isHeld: boolean;
  /** When a lease ends whose holder does not live. */
  readonly endMs: number;
}

/** An inclusive range of milliseconds. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The slots of one limit as the list of those who hold one. */
export class Slots {
  #leases: Lease[] = [];

  used(nowMs: number): number {
    return this.#live(nowMs).length;
  }

  /**
   * Milliseconds until the last lease ends if nobody renews. A living holder renews when a quarter
   * of the lease is over, so that between three quarters and all of it are left.
   */
  resetAfterMs(nowMs: number): Range {
    const left = this.#live(nowMs).map((lease) =>
      lease.isHeld
        ? { min: lease.leaseMs - Math.ceil(lease.leaseMs / 4), max: lease.leaseMs }
        : { min: lease.endMs - nowMs, max: lease.endMs - nowMs },
    );
    return {
      min: Math.max(0, ...left.map(({ min }) => min)),
      max: Math.max(0, ...left.map(({ max }) => max)),
    };
  }

  take(limit: ConcurrencyLimit, nowMs: number): Lease {
    const lease = { leaseMs: limit.leaseMs, isHeld: true, endMs: nowMs + limit.leaseMs };
    this.#leases.push(lease);
    return lease;
  }

  free(lease: Lease): void {
    this.#leases = this.#leases.filter((other) => other !== lease);
  }

  #live(nowMs: number): Lease[] {
    return this.#leases.filter((lease) => lease.isHeld || nowMs < lease.endMs);
  }
}
