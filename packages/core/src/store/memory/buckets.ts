const HEAD_BITS = 10;

/** Heads in a page. */
const HEADS = 2 ** HEAD_BITS;

/** Buckets of an empty table; a power of two. */
const BUCKETS_MIN = 64;

/**
 * The first slot of each bucket, 0 if it is empty. Their number goes up and down by one: linear
 * hashing (W. Litwin, "Linear hashing: a new tool for file and table addressing", VLDB 1980), here
 * with the buckets in pages that are never copied.
 */
export class Buckets {
  readonly #heads: Int32Array[] = [new Int32Array(HEADS)];
  #count = BUCKETS_MIN;
  /** The largest power of two up to the count, less one. */
  #mask = BUCKETS_MIN - 1;

  get count(): number {
    return this.#count;
  }

  /** The bucket of a hash of 32 bits. */
  of(hash: number): number {
    const bucket = hash & (2 * this.#mask + 1);
    return bucket < this.#count ? bucket : hash & this.#mask;
  }

  head(bucket: number): number {
    return (this.#heads[bucket >>> HEAD_BITS] as Int32Array)[bucket & (HEADS - 1)] as number;
  }

  setHead(bucket: number, slot: number): void {
    (this.#heads[bucket >>> HEAD_BITS] as Int32Array)[bucket & (HEADS - 1)] = slot;
  }

  /**
   * Adds an empty bucket behind the others. Returns the only one with entries that belong into the
   * new one from now on.
   */
  add(): number {
    const added = this.#count;
    if (added > 2 * this.#mask + 1) this.#mask = 2 * this.#mask + 1;
    if (added >>> HEAD_BITS === this.#heads.length) this.#heads.push(new Int32Array(HEADS));
    this.#count += 1;
    return added & this.#mask;
  }

  /** Whether {@link removeLast} leaves enough. */
  get isRemovable(): boolean {
    return this.#count > BUCKETS_MIN;
  }

  /** Removes the last bucket, whose entries the caller has taken over. */
  removeLast(): void {
    this.#count -= 1;
    const removed = this.#count;
    this.setHead(removed, 0);
    if (removed === this.#mask) this.#mask >>>= 1;
    if ((removed & (HEADS - 1)) === 0) this.#heads.length = removed >>> HEAD_BITS;
  }

  clear(): void {
    this.#heads.length = 0;
    this.#heads.push(new Int32Array(HEADS));
    this.#count = BUCKETS_MIN;
    this.#mask = BUCKETS_MIN - 1;
  }
}
