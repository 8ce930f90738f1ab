import type { LimitState } from "../../engine/state";

const PLACE_BITS = 10;

/** Places in a page: a power of two, and few enough that to make or collect one takes no time. */
const PLACES = 2 ** PLACE_BITS;

/** Slots in columns: an entry is no object of its own, which the collector would have to find. */
interface Page {
  readonly ids: (string | undefined)[];
  readonly states: (LimitState | undefined)[];
  readonly hashes: Int32Array;
  /** The next slot in the bucket, or in the list of places given back; 0 at the end. */
  readonly nexts: Int32Array;
  used: number;
  /** The first of the slots that were given back; 0 if there is none. */
  freed: number;
  /** Places from this one on were never taken. */
  untouched: number;
}

/**
 * Slots that keep their place from when they are taken until they are given back. They come in
 * pages, so that there is never a large array to be copied, and a page without entries goes.
 * Slot 0 does not exist.
 */
export class SlotPages {
  readonly #pages: (Page | undefined)[] = [];
  /** Pages that had room when they were put here, and indices of pages that are gone. */
  readonly #withRoom: number[] = [];
  readonly #gone: number[] = [];
  #filling = 0;

  /** The page of a slot that is taken. */
  pageOf(slot: number): Page {
    return this.#pages[slot >>> PLACE_BITS] as Page;
  }

  /** The slot that follows a taken one in its list, or 0. */
  next(slot: number): number {
    return this.pageOf(slot).nexts[placeOf(slot)] as number;
  }

  setNext(slot: number, next: number): void {
    this.pageOf(slot).nexts[placeOf(slot)] = next;
  }

  /** Takes a slot; what its columns hold is left to the caller. */
  take(): number {
    let page = this.#pages[this.#filling];
    if (page === undefined || page.used === capacityOf(this.#filling)) page = this.#nextPage();
    page.used += 1;
    const slot = page.freed;
    if (slot === 0) {
      page.untouched += 1;
      return (this.#filling << PLACE_BITS) + page.untouched - 1;
    }
    page.freed = page.nexts[placeOf(slot)] as number;
    return slot;
  }

  /** Gives back a taken slot, and empties its columns. */
  giveBack(slot: number): void {
    const index = slot >>> PLACE_BITS;
    const page = this.#pages[index] as Page;
    const place = placeOf(slot);
    page.ids[place] = undefined;
    page.states[place] = undefined;
    page.nexts[place] = page.freed;
    page.freed = slot;
    if (page.used === capacityOf(index) && index !== this.#filling) this.#withRoom.push(index);
    page.used -= 1;
    if (page.used > 0 || index === this.#filling) return;
    this.#pages[index] = undefined;
    this.#gone.push(index);
  }

  /** The first taken slot after `slot`, or 0 if there is none. */
  takenAfter(slot: number): number {
    let from = slot + 1;
    for (let index = from >>> PLACE_BITS; index < this.#pages.length; index += 1) {
      const page = this.#pages[index];
      if (page !== undefined && page.used > 0) {
        for (let place = placeOf(from); place < page.untouched; place += 1) {
          if (page.ids[place] !== undefined) return (index << PLACE_BITS) + place;
        }
      }
      from = 0;
    }
    return 0;
  }

  clear(): void {
    this.#pages.length = 0;
    this.#withRoom.length = 0;
    this.#gone.length = 0;
    this.#filling = 0;
  }

  #nextPage(): Page {
    for (let index = this.#withRoom.pop(); index !== undefined; index = this.#withRoom.pop()) {
      const page = this.#pages[index];
      if (page === undefined || page.used === capacityOf(index)) continue;
      this.#filling = index;
      return page;
    }
    this.#filling = this.#gone.pop() ?? this.#pages.length;
    const page = newPage(this.#filling);
    this.#pages[this.#filling] = page;
    return page;
  }
}

/** The place of a slot in its page. */
export function placeOf(slot: number): number {
  return slot & (PLACES - 1);
}

/** One place less in the first page, because there is no slot 0. */
function capacityOf(pageIndex: number): number {
  return pageIndex === 0 ? PLACES - 1 : PLACES;
}

function newPage(index: number): Page {
  return {
    // Filled at once: an array with holes is looked up slowly.
    ids: new Array<undefined>(PLACES).fill(undefined),
    states: new Array<undefined>(PLACES).fill(undefined),
    hashes: new Int32Array(PLACES),
    nexts: new Int32Array(PLACES),
    used: 0,
    freed: 0,
    untouched: PLACES - capacityOf(index),
  };
}
