/** A first-in, first-out queue whose ends cost the same whatever its length. */
export class JobQueue<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  append(item: T): void {
    this.#items.push(item);
  }

  takeFirst(): T | undefined {
    const first = this.#items[this.#head];
    if (first === undefined) return undefined;
    this.#head += 1;
    // What was taken is dropped when it is most of the array, so that each item moves once or so.
    if (this.#head >= 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return first;
  }
}
