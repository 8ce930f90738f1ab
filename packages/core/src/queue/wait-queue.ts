interface Place<T> {
  readonly item: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
  isTaken: boolean;
}

/** Takes an item out of its queue; false if it had left already. */
export type Leave = () => boolean;

/**
 * First in, first out, and leaving from any place. A doubly linked list: every operation is O(1),
 * however long the queue is, so that a thousand time-outs at one instant do not stall the process.
 * It knows no bound of its own; who appends looks at `length` first.
 */
export class WaitQueue<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Who has waited longest, left in its place; `undefined` if nobody waits. */
  get first(): T | undefined {
    return this.#first?.item;
  }

  /** Who came last, left in its place; `undefined` if nobody waits. */
  get last(): T | undefined {
    return this.#last?.item;
  }

  /** Puts `item` at the end. Exactly one of the returned function and `takeFirst` gets it out. */
  append(item: T): Leave {
    const place: Place<T> = { item, previous: this.#last, next: undefined, isTaken: false };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#length += 1;
    return () => this.#take(place);
  }

  /** Takes out the item that has waited longest; `undefined` if nobody waits. */
  takeFirst(): T | undefined {
    const place = this.#first;
    if (place === undefined) return undefined;
    this.#take(place);
    return place.item;
  }

  #take(place: Place<T>): boolean {
    if (place.isTaken) return false;
    place.isTaken = true;
    if (place.previous === undefined) this.#first = place.next;
    else place.previous.next = place.next;
    if (place.next === undefined) this.#last = place.previous;
    else place.next.previous = place.previous;
    this.#length -= 1;
    return true;
  }
}
