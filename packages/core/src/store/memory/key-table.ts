import type { LimitState } from "../../engine/state";

/** How many maps the keys are spread over; a power of two. */
const SHARDS = 256;

/**
 * Keys and their states, spread over many small maps: a map doubles by moving all of its entries at
 * once, which for one map of a million keys stalls the loop for tens of milliseconds, and for a
 * 256th of that for a fraction of one.
 */
export class KeyTable {
  readonly #shards: Map<string, LimitState>[] = [];
  readonly #seed: number;
  #size = 0;

  /** `seed` makes the spread unpredictable to whoever chooses the keys. */
  constructor(seed: number) {
    this.#seed = seed;
    for (let index = 0; index < SHARDS; index += 1) this.#shards.push(new Map());
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): LimitState | undefined {
    return this.#shard(this.#indexOf(key)).get(key);
  }

  set(key: string, state: LimitState): void {
    const shard = this.#shard(this.#indexOf(key));
    const sizeBefore = shard.size;
    shard.set(key, state);
    this.#size += shard.size - sizeBefore;
  }

  delete(key: string): boolean {
    const wasThere = this.#shard(this.#indexOf(key)).delete(key);
    if (wasThere) this.#size -= 1;
    return wasThere;
  }

  clear(): void {
    for (const shard of this.#shards) shard.clear();
    this.#size = 0;
  }

  /** A walk round and round over all entries, a few at a time, while entries come and go. */
  walk(): TableWalk {
    return new TableWalk(this.#shards);
  }

  #shard(index: number): Map<string, LimitState> {
    return this.#shards[index] as Map<string, LimitState>;
  }

  /** FNV-1a over the key, started at the seed. */
  #indexOf(key: string): number {
    let hash = this.#seed;
    for (let index = 0; index < key.length; index += 1) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (SHARDS - 1);
  }
}

/** A position in a {@link KeyTable}, between two visits. */
export class TableWalk {
  readonly #shards: readonly Map<string, LimitState>[];
  #shard = -1;
  #cursor: Iterator<[string, LimitState]> = [][Symbol.iterator]();

  constructor(shards: readonly Map<string, LimitState>[]) {
    this.#shards = shards;
  }

  /**
   * Shows the next `count` entries, at most to the end of the round, and moves on. The visitor may
   * delete the entry it is shown. Returns whether the round is over: every entry that was there all
   * the time has been shown once, and the next visit begins a new round.
   */
  visit(count: number, visitor: (key: string, state: LimitState) => void): boolean {
    let left = count;
    while (left > 0) {
      const step = this.#cursor.next();
      if (!step.done) {
        left -= 1;
        visitor(step.value[0], step.value[1]);
      } else if (this.#shard === this.#shards.length - 1) {
        this.#shard = -1;
        return true;
      } else {
        this.#shard += 1;
        this.#cursor = (this.#shards[this.#shard] as Map<string, LimitState>).entries();
      }
    }
    return false;
  }
}
