import { type Setting, type Subject, windowMsOf } from "./subject";

const SHARDS = 256;

interface Counter {
  readonly used: number;
  readonly endMs: number;
}

/**
 * A counter per key in 256 Maps, and nothing else: the least that keeps a million keys without a
 * Map that stalls the loop whenever it doubles.
 */
export class ShardedMap implements Subject {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, Counter>());
  readonly #windowMs: number;

  constructor(setting: Setting) {
    this.#windowMs = windowMsOf(setting, 0);
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const counter = { used: 1, endMs: Date.now() + this.#windowMs };
      this.#shardOf(key).set(key, counter);
    }
  }

  /** It has no limits. */
  ask(): Promise<number> {
    return Promise.reject(new Error("A bare Map judges nothing."));
  }

  exhaust(): Promise<void> {
    return Promise.reject(new Error("A bare Map has nothing to use up."));
  }

  storedText(key: string): string {
    return key;
  }

  size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  #shardOf(key: string): Map<string, Counter> {
    let hash = 0;
    for (let index = 0; index < key.length; index += 1) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
    }
    return this.#shards[hash & (SHARDS - 1)] as Map<string, Counter>;
  }
}
