import type { TokenBucketLimit } from "@sluice/core";
import type { Book } from "./book";
import type { Charge } from "./charge";

/** What was missing after the last change. `parts` counts in 1 / perMs of a unit: it is exact. */
interface Missing {
  readonly parts: bigint;
  readonly atMs: number;
  /** From this instant on nothing is missing, which is the same as never touched. */
  readonly goneAtMs: number;
}

/**
 * A token bucket in exact arithmetic, written down as what is missing from a full one: every refill
 * since the last change is taken off when asked. Capacity and rate are those of the question.
 */
export class TokenBucketBook implements Book<TokenBucketLimit> {
  #missing: Missing = { parts: 0n, atMs: 0, goneAtMs: 0 };
  /** What was charged since the bucket was last full: only of that something can come back. */
  #charges: Charge[] = [];

  used(limit: TokenBucketLimit, nowMs: number): number {
    return ceilDivide(this.#parts(limit, nowMs), limit.perMs);
  }

  resetAfterMs(limit: TokenBucketLimit, nowMs: number): number {
    return this.#msUntilMissing(0, limit, nowMs);
  }

  waitMs(limit: TokenBucketLimit, cost: number, nowMs: number): number {
    return this.#msUntilMissing(limit.max - Math.max(1, cost), limit, nowMs);
  }

  isOver(_limit: TokenBucketLimit, nowMs: number): boolean {
    return nowMs >= this.#missing.goneAtMs;
  }

  charge(limit: TokenBucketLimit, units: number, nowMs: number): Charge {
    this.#change(limit, units, nowMs);
    const charge = { atMs: nowMs, units };
    this.#charges.push(charge);
    return charge;
  }

  giveBack(limit: TokenBucketLimit, charge: Charge, units: number, nowMs: number): void {
    const produced = Math.floor(((nowMs - charge.atMs) * limit.refill) / limit.perMs);
    const isOf = this.#charges.includes(charge) && !this.isOver(limit, nowMs);
    if (isOf && produced < units) this.#change(limit, produced - units, nowMs);
  }

  chargeMore(limit: TokenBucketLimit, _charge: Charge, units: number, nowMs: number): void {
    this.#change(limit, units, nowMs);
  }

  #parts(limit: TokenBucketLimit, nowMs: number): bigint {
    const { parts, atMs, goneAtMs } = this.#missing;
    if (nowMs >= goneAtMs) return 0n;
    return notBelowZero(parts - BigInt(nowMs - atMs) * BigInt(limit.refill));
  }

  /** Milliseconds until no more than so many units are missing. */
  #msUntilMissing(units: number, limit: TokenBucketLimit, nowMs: number): number {
    const excess = this.#parts(limit, nowMs) - BigInt(units) * BigInt(limit.perMs);
    if (excess <= 0n) return 0;
    return Math.min(ceilDivide(excess, limit.refill), this.#missing.goneAtMs - nowMs);
  }

  #change(limit: TokenBucketLimit, units: number, nowMs: number): void {
    if (this.isOver(limit, nowMs)) this.#charges = [];
    const changed = this.#parts(limit, nowMs) + BigInt(units) * BigInt(limit.perMs);
    const parts = notBelowZero(changed);
    this.#missing = { parts, atMs: nowMs, goneAtMs: nowMs + ceilDivide(parts, limit.refill) };
  }
}

function notBelowZero(a: bigint): bigint {
  return a < 0n ? 0n : a;
}

/** ⌈a / b⌉ for a of 0 or more. */
function ceilDivide(a: bigint, b: number): number {
  return Number((a + BigInt(b) - 1n) / BigInt(b));
}
