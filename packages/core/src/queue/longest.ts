/** Something whose length is known; it changes by one at a time. */
interface Lengthy {
  readonly items: { readonly length: number };
}

/**
 * Which of several lines is the longest, in O(1): lines by their length, and the greatest length.
 * Whoever changes a line says so at once.
 */
export class Longest<L extends Lengthy> {
  readonly #byLength: Set<L>[] = [];
  #greatest = 0;

  /** One of the longest; `undefined` if all are empty. */
  get longest(): L | undefined {
    if (this.#greatest === 0) return undefined;
    return this.#byLength[this.#greatest]?.values().next().value;
  }

  /** To be called when `line` has become longer by one. */
  grown(line: L): void {
    const { length } = line.items;
    this.#byLength[length - 1]?.delete(line);
    this.#lines(length).add(line);
    this.#greatest = Math.max(this.#greatest, length);
  }

  /** To be called when `line` has become shorter by one. */
  shrunk(line: L): void {
    const { length } = line.items;
    const before = this.#lines(length + 1);
    before.delete(line);
    if (length > 0) this.#lines(length).add(line);
    // A line that was one of the longest is now one shorter than that.
    if (before.size === 0 && this.#greatest === length + 1) this.#greatest = length;
  }

  #lines(length: number): Set<L> {
    const known = this.#byLength[length];
    if (known !== undefined) return known;
    // Filled from the first on, since an array with holes is a slow one.
    while (this.#byLength.length <= length) this.#byLength.push(new Set());
    return this.#byLength[length] as Set<L>;
  }
}
