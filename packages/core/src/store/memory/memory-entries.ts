import { chainExpiresAtMs, withWrites } from "../../engine/chain";
import type { DescriptorKey } from "../../engine/command";
import type { DescriptorState, LimitState } from "../../engine/state";
import type { Milliseconds } from "../../limit/limit";
import { KeyTable, type TableWalk } from "./key-table";
import { holdsLeases, usageShare } from "./usage-share";

/**
 * How many entries are looked at to find one to evict. If a share p of all entries is exhausted, an
 * exhausted one is evicted with probability p^16 (p = 0.5: 1 in 65 536), given that the keys came
 * in an order that has nothing to do with their use.
 */
export const EVICTION_SAMPLE = 16;

/**
 * The bounded set of keys. Entries that hold leases are kept apart from the others, because they
 * must never be evicted and the search for a victim must not have to wade through them.
 */
export class MemoryEntries {
  readonly #maxKeys: number;
  readonly #onEvict: (key: DescriptorKey) => void;
  readonly #free: KeyTable;
  readonly #leased: KeyTable;
  readonly #freeSample: TableWalk;
  readonly #leasedSample: TableWalk;

  constructor(maxKeys: number, seed: number, onEvict: (key: DescriptorKey) => void) {
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

  get(kind: string, id: string): DescriptorState {
    const state = this.#free.get(kind, id);
    if (state !== undefined) return state;
    return this.#leased.size === 0 ? null : (this.#leased.get(kind, id) ?? null);
  }

  /** Stores what a command made of `before`. Room for a new key must have been made. */
  put(kind: string, id: string, before: DescriptorState, after: DescriptorState): void {
    if (before === after) return;
    const isLeased = after !== null && holdsLeases(after);
    if (before !== null && (after === null || holdsLeases(before) !== isLeased)) {
      this.#delete(kind, id);
    }
    if (after !== null) (isLeased ? this.#leased : this.#free).set(kind, id, after);
  }

  /**
   * Makes room for `count` new keys: drops expired entries of a bounded sample, else the least used
   * of it. Never drops the keys of the command itself. False if only entries with live leases are
   * left.
   */
  makeRoom(count: number, needed: readonly DescriptorKey[], nowMs: Milliseconds): boolean {
    if (this.#missing(count) <= 0) return true;
    this.#dropExpiredLeases(needed, nowMs);
    // Whether there is enough to drop is settled before anything is dropped for it.
    const kept = needed.filter(({ kind, id }) => this.#free.get(kind, id) !== undefined).length;
    if (this.#missing(count) > this.#free.size - kept) return false;
    while (this.#missing(count) > 0) this.#dropLeastUsed(needed, nowMs);
    return true;
  }

  /** Begins a round over all entries that drops what has expired. */
  beginSweep(): Sweep {
    return new Sweep(this.#free.walk(), this.#leased.walk(), (kind, id, state, nowMs) =>
      this.#dropExpired(kind, id, state, nowMs),
    );
  }

  clear(): void {
    this.#free.clear();
    this.#leased.clear();
  }

  #delete(kind: string, id: string): void {
    if (!this.#free.delete(kind, id)) this.#leased.delete(kind, id);
  }

  #missing(count: number): number {
    return this.size + count - this.#maxKeys;
  }

  /** Drops what has expired of a sample with leases, so that their keys do not stand in the way. */
  #dropExpiredLeases(needed: readonly DescriptorKey[], nowMs: Milliseconds): void {
    showSome(this.#leasedSample, this.#leased.size, (kind, id, state) => {
      if (isNeeded(needed, kind, id)) return false;
      this.#dropExpired(kind, id, state, nowMs);
      return true;
    });
  }

  /** Drops the least used entry of a sample without leases; an expired one first. */
  #dropLeastUsed(needed: readonly DescriptorKey[], nowMs: Milliseconds): void {
    let least: Victim | undefined;
    showSome(this.#freeSample, this.#free.size, (kind, id, state) => {
      if (isNeeded(needed, kind, id)) return false;
      const share = chainExpiresAtMs(state) <= nowMs ? EXPIRED : usageShare(state, nowMs);
      if (least === undefined || share < least.share) least = { kind, id, share };
      return true;
    });
    const victim = least as Victim | undefined;
    if (victim === undefined) return;
    this.#delete(victim.kind, victim.id);
    if (victim.share !== EXPIRED) this.#onEvict(victim);
  }

  /**
   * Drops the entry if it has expired, or those of its limits that have; an entry without leases
   * left joins the others. Returns when what is left expires, or `undefined` if nothing is.
   */
  #dropExpired(
    kind: string,
    id: string,
    state: LimitState,
    nowMs: Milliseconds,
  ): Milliseconds | undefined {
    const alive = withWrites(state, [], nowMs);
    this.put(kind, id, state, alive);
    return alive === null ? undefined : chainExpiresAtMs(alive);
  }
}

/** The share of an entry that has expired: less used than any that has not. */
const EXPIRED = -1;

/**
 * Shows entries of a table of `size` until `look` has counted {@link EVICTION_SAMPLE} of them,
 * across the end of the walk's round, but none more often than a round and a bit allows.
 */
function showSome(
  walk: TableWalk,
  size: number,
  look: (kind: string, id: string, state: LimitState) => boolean,
): void {
  let counted = 0;
  for (let shown = 0; shown < size && counted < EVICTION_SAMPLE; ) {
    walk.visit(1, (kind, id, state) => {
      shown += 1;
      if (look(kind, id, state)) counted += 1;
    });
  }
}

/** An entry that may be evicted. */
interface Victim extends DescriptorKey {
  readonly share: number;
}

function isNeeded(needed: readonly DescriptorKey[], kind: string, id: string): boolean {
  return needed.some((target) => target.id === id && target.kind === kind);
}

type DropExpired = (
  kind: string,
  id: string,
  state: LimitState,
  nowMs: number,
) => Milliseconds | undefined;

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
    const isOver = walk.visit(count, (kind, id, state) => {
      const expiresAtMs = this.#dropExpired(kind, id, state, nowMs);
      if (expiresAtMs !== undefined) this.earliestMs = Math.min(this.earliestMs, expiresAtMs);
    });
    if (isOver) this.#walks.shift();
    return this.#walks.length === 0;
  }
}
