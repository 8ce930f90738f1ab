import type { LimitState } from "../../engine/state";
import { Buckets } from "./buckets";
import { placeOf, SlotPages } from "./slot-pages";

/** With fewer entries than one in so many buckets, buckets are joined again. */
const SPARSE = 4;

/**
 * States by id. Each entry that comes splits one bucket and each that goes may join a few, so that
 * no call moves more than a handful of entries. A `Map` doubles by copying all of its entries at
 * once and leaves the old table to the collector, which costs even many small ones dear: they
 * double at about the same time.
 */
export class IdTable {
  readonly #seed: number;
  readonly #slots = new SlotPages();
  readonly #buckets = new Buckets();
  #size = 0;

  /** `seed` makes the spread unpredictable to whoever chooses the ids. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  get(id: string): LimitState | undefined {
    const slot = this.#find(id, this.#hashOf(id));
    return slot === 0 ? undefined : this.stateAt(slot);
  }

  set(id: string, state: LimitState): void {
    const hash = this.#hashOf(id);
    const slot = this.#find(id, hash);
    if (slot !== 0) {
      this.#slots.pageOf(slot).states[placeOf(slot)] = state;
      return;
    }
    this.#insert(id, hash, state);
    this.#size += 1;
    if (this.#size > this.#buckets.count) this.#split();
  }

  /** Whether it was there. */
  delete(id: string): boolean {
    const hash = this.#hashOf(id);
    const slot = this.#find(id, hash);
    if (slot === 0) return false;
    this.#unlink(slot, this.#buckets.of(hash));
    this.#slots.giveBack(slot);
    this.#size -= 1;
    while (this.#buckets.isRemovable && this.#size * SPARSE < this.#buckets.count) this.#join();
    return true;
  }

  clear(): void {
    this.#slots.clear();
    this.#buckets.clear();
    this.#size = 0;
  }

  /**
   * The slot of the entry that follows the one in `slot` (0: the first entry), in an order that no
   * change to other entries alters; 0 after the last.
   */
  slotAfter(slot: number): number {
    return this.#slots.takenAfter(slot);
  }

  /** The id in the slot of an entry. */
  idAt(slot: number): string {
    return this.#slots.pageOf(slot).ids[placeOf(slot)] as string;
  }

  /** The state in the slot of an entry. */
  stateAt(slot: number): LimitState {
    return this.#slots.pageOf(slot).states[placeOf(slot)] as LimitState;
  }

  /** The slot of an id, or 0. */
  #find(id: string, hash: number): number {
    let slot = this.#buckets.head(this.#buckets.of(hash));
    while (slot !== 0) {
      const page = this.#slots.pageOf(slot);
      const place = placeOf(slot);
      if (page.hashes[place] === hash && page.ids[place] === id) break;
      slot = page.nexts[place] as number;
    }
    return slot;
  }

  #insert(id: string, hash: number, state: LimitState): void {
    const slot = this.#slots.take();
    const page = this.#slots.pageOf(slot);
    const place = placeOf(slot);
    page.ids[place] = id;
    page.states[place] = state;
    page.hashes[place] = hash;
    this.#link(slot, this.#buckets.of(hash));
  }

  #link(slot: number, bucket: number): void {
    this.#slots.setNext(slot, this.#buckets.head(bucket));
    this.#buckets.setHead(bucket, slot);
  }

  #unlink(slot: number, bucket: number): void {
    const next = this.#slots.next(slot);
    let before = this.#buckets.head(bucket);
    if (before === slot) {
      this.#buckets.setHead(bucket, next);
      return;
    }
    while (this.#slots.next(before) !== slot) before = this.#slots.next(before);
    this.#slots.setNext(before, next);
  }

  /** Adds a bucket, and links what belongs there, of the one bucket that held it so far. */
  #split(): void {
    const from = this.#buckets.add();
    const first = this.#buckets.head(from);
    this.#buckets.setHead(from, 0);
    this.#relink(first);
  }

  /** Removes the last bucket. Its entries go back to where they came from. */
  #join(): void {
    const first = this.#buckets.head(this.#buckets.count - 1);
    this.#buckets.removeLast();
    this.#relink(first);
  }

  /** Links each entry of a bucket that was emptied or removed to where it belongs now. */
  #relink(first: number): void {
    let slot = first;
    while (slot !== 0) {
      const next = this.#slots.next(slot);
      const hash = this.#slots.pageOf(slot).hashes[placeOf(slot)] as number;
      this.#link(slot, this.#buckets.of(hash));
      slot = next;
    }
  }

  /** FNV-1a over the id, started at the seed; then its high bits are mixed into the low ones. */
  #hashOf(id: string): number {
    let hash = this.#seed;
    for (let index = 0; index < id.length; index += 1) {
      hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }
}
