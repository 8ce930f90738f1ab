import type { LimitState } from "../../engine/state";

/** How many maps the ids of one kind are spread over; a power of two. */
const SHARDS = 256;

/**
 * Kinds with maps of their own; further ones, which no ordinary program has, share one set of maps.
 */
const KINDS_MAX = 64;

type Shards = (Map<string, LimitState> | undefined)[];

/**
 * The states of descriptors by kind and id, spread over many small maps: a map doubles by moving
 * all of its entries at once, which for one map of a million keys stalls the loop for tens of
 * milliseconds, and for a 256th of that for a fraction of one. A kind has maps of its own, so that
 * the caller's id is the key and no text is joined for a look-up.
 */
export class KeyTable {
  readonly #kinds = new Map<string, Shards>();
  readonly #shared: Shards = [];
  readonly #seed: number;
  #size = 0;
  /** The kind looked up last, and its maps: most programs ask for one or two in turn. */
  #lastKind = "";
  #lastShards: Shards | undefined;

  /** `seed` makes the spread unpredictable to whoever chooses the ids. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  get(kind: string, id: string): LimitState | undefined {
    const shards = this.#shardsOf(kind);
    if (shards !== undefined) return shards[this.#shardOf(id)]?.get(id);
    const shared = sharedId(kind, id);
    return this.#shared[this.#shardOf(shared)]?.get(shared);
  }

  set(kind: string, id: string, state: LimitState): void {
    const shards = this.#kinds.get(kind) ?? this.#newKind(kind);
    const key = shards === this.#shared ? sharedId(kind, id) : id;
    const index = this.#shardOf(key);
    const shard = shards[index] ?? new Map<string, LimitState>();
    shards[index] = shard;
    const sizeBefore = shard.size;
    shard.set(key, state);
    this.#size += shard.size - sizeBefore;
  }

  delete(kind: string, id: string): boolean {
    const own = this.#kinds.get(kind);
    const shards = own ?? this.#shared;
    const key = own === undefined ? sharedId(kind, id) : id;
    const wasThere = shards[this.#shardOf(key)]?.delete(key) === true;
    if (wasThere) this.#size -= 1;
    return wasThere;
  }

  clear(): void {
    this.#kinds.clear();
    this.#lastKind = "";
    this.#shared.length = 0;
    this.#size = 0;
  }

  /** A walk round and round over all entries, a few at a time, while entries come and go. */
  walk(): TableWalk {
    return new TableWalk(() => this.#maps());
  }

  *#maps(): Generator<readonly [string | undefined, Map<string, LimitState>]> {
    for (const [kind, shards] of this.#kinds) {
      for (const shard of shards) if (shard !== undefined) yield [kind, shard];
    }
    for (const shard of this.#shared) if (shard !== undefined) yield [undefined, shard];
  }

  #shardsOf(kind: string): Shards | undefined {
    if (kind === this.#lastKind) return this.#lastShards;
    const shards = this.#kinds.get(kind);
    if (shards !== undefined) {
      this.#lastKind = kind;
      this.#lastShards = shards;
    }
    return shards;
  }

  #newKind(kind: string): Shards {
    if (this.#kinds.size >= KINDS_MAX) return this.#shared;
    // Filled at once: an array with holes is looked up slowly.
    const shards: Shards = new Array<undefined>(SHARDS).fill(undefined);
    this.#kinds.set(kind, shards);
    return shards;
  }

  /** FNV-1a over the id, started at the seed. */
  #shardOf(id: string): number {
    let hash = this.#seed;
    for (let index = 0; index < id.length; index += 1) {
      hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (SHARDS - 1);
  }
}

/** Kinds hold no `:`, so the two parts can be told apart again. */
function sharedId(kind: string, id: string): string {
  return `${kind}:${id}`;
}

type Maps = Iterator<readonly [string | undefined, Map<string, LimitState>]>;

/** Shown an entry by a walk. */
export type EntryVisitor = (kind: string, id: string, state: LimitState) => void;

/** A position in a {@link KeyTable}, between two visits. */
export class TableWalk {
  readonly #begin: () => Maps;
  #maps: Maps | undefined;
  #kind: string | undefined;
  #entries: Iterator<[string, LimitState]> = [][Symbol.iterator]();

  constructor(begin: () => Maps) {
    this.#begin = begin;
  }

  /**
   * Shows the next `count` entries, at most to the end of the round, and moves on. The visitor may
   * delete the entry it is shown. Returns whether the round is over: every entry that was there all
   * the time has been shown once, and the next visit begins a new round.
   */
  visit(count: number, visitor: EntryVisitor): boolean {
    let left = count;
    while (left > 0) {
      const entry = this.#entries.next();
      if (!entry.done) {
        left -= 1;
        this.#show(entry.value[0], entry.value[1], visitor);
        continue;
      }
      this.#maps ??= this.#begin();
      const map = this.#maps.next();
      if (map.done) {
        this.#maps = undefined;
        return true;
      }
      this.#kind = map.value[0];
      this.#entries = map.value[1].entries();
    }
    return false;
  }

  #show(key: string, state: LimitState, visitor: EntryVisitor): void {
    if (this.#kind !== undefined) {
      visitor(this.#kind, key, state);
      return;
    }
    const colon = key.indexOf(":");
    visitor(key.slice(0, colon), key.slice(colon + 1), state);
  }
}
