import { chainExpiresAtMs, withWrites } from "../../engine/chain";
import type { DescriptorState, LimitState } from "../../engine/state";
import type { Milliseconds } from "../../limit/limit";
import { KeyTable, type TableWalk } from "./key-table";
import { overwrite } from "./overwrite";
import { holdsLeases, usageShare } from "./usage-share";

/**
 * How many entries are looked at to find one to evict. If a share p of all entries is exhausted, an
 * exhausted one is evicted with probability p^16 (p = 0.5: 1 in 65 536), given that the keys came in
 * an order that has nothing to do with their use.
 */
export const EVICTION_SAMPLE = 16;

/**
 * The bounded set of keys. Entries that hold leases are kept apart from the others, because they must
 * never be evicted and the search for a victim must not have to wade through them.
 */
export class MemoryEntries {
  readonly #maxKeys: number;
  readonly #onEvict: (key: string) => void;
  readonly #free: KeyTable;
  readonly #leased: KeyTable;
  readonly #freeSample: TableWalk;
  readonly #leasedSample: TableWalk;

  constructor(maxKeys: number, seed: number, onEvict: (key: string) => void) {
    this.#maxKeys = maxKeys;
    this.#onEvict = onEvict;
    this.#free = new KeyTable(seed);
    this.#leased = new KeyTable(seed);
    this.#freeSample = this.#free.walk();
    this.#leasedSample = this.#leased.walk();
  }

  get size(): number {
    return this.#free.size + this.#leased.size;
  }

  get(key: string): DescriptorState {
    const state = this.#free.get(key);
    if (state !== undefined) return state;
    return this.#leased.size === 0 ? null : (this.#leased.get(key) ?? null);
  }

  /** Stores what a command made of `before`. Room for a new key must have been made. */
  put(key: string, before: DescriptorState, after: DescriptorState): void {
    if (before === after || overwrite(before, after)) return;
    const isLeased = after !== null && holdsLeases(after);
    if (before !== null && (after === null || holdsLeases(before) !== isLeased)) {
      this.#delete(key);
    }
    if (after !== null) (isLeased ? this.#leased : this.#free).set(key, after);
  }

  /**
   * Makes room for `count` new keys: drops expired entries of a bounded sample, else the least used of
   * it. Never drops the keys of the command itself. False if only entries with live leases are left.
   */
  makeRoom(count: number, needed: readonly { readonly key: string }[], nowMs: number): boolean {
    while (this.size + count > this.#maxKeys) {
      if (!this.#dropOne(needed, nowMs)) return false;
    }
    return true;
  }

  /** Begins a round over all entries that drops what has expired. */
  beginSweep(): Sweep {
    return new Sweep(this.#free.walk(), this.#leased.walk(), (key, state, nowMs) =>
      this.#dropExpired(key, state, nowMs),
    );
  }

  clear(): void {
    this.#free.clear();
    this.#leased.clear();
  }

  #delete(key: string): void {
    if (!this.#free.delete(key)) this.#leased.delete(key);
  }

  #dropOne(needed: readonly { readonly key: string }[], nowMs: Milliseconds): boolean {
    const size = this.size;
    // Two visits, since a visit ends where a round does and may have shown nothing.
    for (let visit = 0; visit < 2 && this.#leased.size > 0; visit += 1) {
      this.#leasedSample.visit(EVICTION_SAMPLE, (key, state) => {
        if (!isNeeded(needed, key)) this.#dropExpired(key, state, nowMs);
      });
    }
    if (this.size < size) return true;
    const victim = this.#leastUsed(needed, nowMs);
    if (victim === undefined) return false;
    this.#delete(victim.key);
    if (victim.share >= 0) this.#onEvict(victim.key);
    return true;
  }

  /** The least used entry of a sample without leases; an expired one has share -1. */
  #leastUsed(
    needed: readonly { readonly key: string }[],
    nowMs: Milliseconds,
  ): { readonly key: string; readonly share: number } | undefined {
    let least: { readonly key: string; readonly share: number } | undefined;
    // The sample may hold keys of the command itself, so it is enlarged by their number.
    const sample = EVICTION_SAMPLE + needed.length;
    for (let visit = 0; visit < 2 && least === undefined; visit += 1) {
      this.#freeSample.visit(sample, (key, state) => {
        if (isNeeded(needed, key)) return;
        const share = chainExpiresAtMs(state) <= nowMs ? -1 : usageShare(state, nowMs);
        if (least === undefined || share < least.share) least = { key, share };
      });
    }
    return least;
  }

  /**
   * Drops the entry if it has expired, or those of its limits that have; an entry without leases left
   * joins the others. Returns when what is left expires, or `undefined` if nothing is.
   */
  #dropExpired(key: string, state: LimitState, nowMs: Milliseconds): Milliseconds | undefined {
    const alive = withWrites(state, [], nowMs);
    this.put(key, state, alive);
    return alive === null ? undefined : chainExpiresAtMs(alive);
  }
}

function isNeeded(needed: readonly { readonly key: string }[], key: string): boolean {
  return needed.some((target) => target.key === key);
}

type DropExpired = (key: string, state: LimitState, nowMs: number) => Milliseconds | undefined;

/** One round over all entries, in slices. */
export class Sweep {
  readonly #walks: TableWalk[];
  readonly #dropExpired: DropExpired;
  /** The earliest expiry among the entries that were kept. */
  earliestMs = Number.POSITIVE_INFINITY;

  constructor(free: TableWalk, leased: TableWalk, dropExpired: DropExpired) {
    // Leased entries first: one that lost its last lease is then seen again among the others.
    this.#walks = [leased, free];
    this.#dropExpired = dropExpired;
  }

  /** Looks at the next `count` entries; whether the round is over. */
  slice(count: number, nowMs: Milliseconds): boolean {
    const [walk] = this.#walks;
    if (walk === undefined) return true;
    const isOver = walk.visit(count, (key, state) => {
      const expiresAtMs = this.#dropExpired(key, state, nowMs);
      if (expiresAtMs !== undefined) this.earliestMs = Math.min(this.earliestMs, expiresAtMs);
    });
    if (isOver) this.#walks.shift();
    return this.#walks.length === 0;
  }
}
