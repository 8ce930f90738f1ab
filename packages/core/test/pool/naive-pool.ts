import type { PriorityPoolLimit } from "@sluice/core";

/** A fraction of two integers. The naive pool reckons in nothing else, so it never rounds. */
interface Fraction {
  readonly of: bigint;
  readonly by: bigint;
}

const PARTS = 10_000n;

/** What one class has had of one unit. */
interface Tally {
  used: bigint;
  spent: Fraction;
}

/**
 * One unit of a pool, by the words of its rule and in exact fractions: no integers that are kept
 * times something, no thresholds made ready beforehand, and waits found by trying every
 * millisecond.
 */
export class NaivePool {
  readonly #pool: PriorityPoolLimit;
  readonly #unit: string;
  readonly #max: bigint;
  readonly #amounts: readonly bigint[];
  readonly #threshold: Fraction;
  #tallies = new Map<string, Tally>();
  #total = 0n;
  /** When the window opened; undefined without one. */
  openedMs: number | undefined;

  constructor(pool: PriorityPoolLimit, unit: string) {
    this.#pool = pool;
    this.#unit = unit;
    this.#max = BigInt(pool.capacity[unit] as number);
    this.#amounts = (pool.guaranteed[unit] as readonly number[]).map(BigInt);
    const parts = BigInt(Math.round(pool.saturationThreshold * 10_000));
    this.#threshold = { of: parts, by: PARTS };
  }

  get used(): number {
    return Number(this.#total);
  }

  usedBy(name: string): number {
    return Number(this.#tallies.get(name)?.used ?? 0n);
  }

  /** Forgets a window that has ended. */
  moveTo(nowMs: number): void {
    if (this.openedMs === undefined || nowMs < this.openedMs + this.#pool.windowMs) return;
    this.openedMs = undefined;
    this.#tallies = new Map();
    this.#total = 0n;
  }

  /** Whether a class gets `cost`, `elapsedMs` after the window opened. */
  passes(name: string, cost: number, elapsedMs: number): boolean {
    const units = BigInt(cost);
    const fits = (room: bigint) => (cost === 0 ? room > 0n : units <= room);
    if (!fits(this.#max - this.#total)) return false;
    if (this.#isFree(units)) return true;
    const place = this.#pool.classes.indexOf(name);
    const amount = this.#amounts[place] as bigint;
    if (this.#pool.whenSaturated === "strict") {
      return fits(amount - (this.#tallies.get(name)?.used ?? 0n));
    }
    const claims = this.#pool.classes.map((each, at) => this.#claim(each, at, elapsedMs));
    const own = claims[place] as bigint;
    const others = claims.reduce((sum, claim) => sum + claim, 0n) - own;
    return fits(own) || fits(this.#max - others - this.#total);
  }

  /**
   * The first millisecond from now at which `cost` passes: in this window, or at the beginning of
   * the next one; undefined if at none of these.
   */
  waitMs(name: string, cost: number, nowMs: number): number | undefined {
    const openedMs = this.openedMs ?? nowMs;
    const endMs = openedMs + this.#pool.windowMs;
    for (let atMs = nowMs; atMs < endMs; atMs += 1) {
      if (this.passes(name, cost, atMs - openedMs)) return atMs - nowMs;
    }
    return this.#empty().passes(name, cost, 0) ? endMs - nowMs : undefined;
  }

  /** Whether no instant of an empty window lets `cost` pass. */
  neverPasses(name: string, cost: number): boolean {
    const empty = this.#empty();
    for (let atMs = 0; atMs < this.#pool.windowMs; atMs += 1) {
      if (empty.passes(name, cost, atMs)) return false;
    }
    return true;
  }

  /** Charges, wherever that leads. */
  charge(name: string, cost: number, nowMs: number): void {
    this.openedMs ??= nowMs;
    const units = BigInt(cost);
    const place = this.#pool.classes.indexOf(name);
    const tally = this.#tallies.get(name) ?? { used: 0n, spent: { of: 0n, by: 1n } };
    if (this.#pool.whenSaturated === "lend" && !this.#isFree(units)) {
      const gone = this.#gone(place, nowMs - this.openedMs);
      const from = isMore(gone, tally.spent) ? gone : tally.spent;
      tally.spent = { of: from.of + units * from.by, by: from.by };
    }
    tally.used += units;
    this.#total += units;
    this.#tallies.set(name, tally);
  }

  /** Takes back part of a charge of the window that is open. */
  refund(name: string, units: number): void {
    const tally = this.#tallies.get(name) as Tally;
    const { of, by } = tally.spent;
    const left = of - BigInt(units) * by;
    tally.spent = { of: left < 0n ? 0n : left, by };
    tally.used -= BigInt(units);
    this.#total -= BigInt(units);
  }

  /** What of its guaranteed amount a class that comes now finds at the least. */
  promise(name: string, elapsedMs: number): number {
    const place = this.#pool.classes.indexOf(name);
    const amount = this.#amounts[place] as bigint;
    const { of, by } = this.#gone(place, elapsedMs);
    return Number((amount * by - of) / by);
  }

  #empty(): NaivePool {
    return new NaivePool(this.#pool, this.#unit);
  }

  #isFree(units: bigint): boolean {
    const { of, by } = this.#threshold;
    const sum = (this.#total + units) * by;
    return units === 0n ? sum < of * this.#max : sum <= of * this.#max;
  }

  #claim(name: string, place: number, elapsedMs: number): bigint {
    const amount = this.#amounts[place] as bigint;
    const gone = this.#gone(place, elapsedMs);
    const spent = this.#tallies.get(name)?.spent ?? { of: 0n, by: 1n };
    const { of, by } = isMore(spent, gone) ? spent : gone;
    const left = amount * by - of;
    return left < 0n ? 0n : left / by;
  }

  /** The elapsed part of the window, or the threshold, times the guaranteed amount. */
  #gone(place: number, elapsedMs: number): Fraction {
    const amount = this.#amounts[place] as bigint;
    const elapsed = { of: BigInt(elapsedMs) * amount, by: BigInt(this.#pool.windowMs) };
    const threshold = { of: this.#threshold.of * amount, by: this.#threshold.by };
    return isMore(elapsed, threshold) ? elapsed : threshold;
  }
}

function isMore(a: Fraction, b: Fraction): boolean {
  return a.of * b.by > b.of * a.by;
}
