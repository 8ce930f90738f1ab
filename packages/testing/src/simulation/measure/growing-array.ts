/** Numbers, as many as come, without a box for each. */
export class GrowingArray {
  #numbers = new Float64Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(value: number): void {
    if (this.#length === this.#numbers.length) {
      const numbers = new Float64Array(this.#length * 2);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return index < this.#length ? (this.#numbers[index] as number) : Number.NaN;
  }

  /** A sorted copy of the numbers from index `from` up to, not including, `to`. */
  sorted(from: number, to: number): Float64Array {
    return this.#numbers.slice(from, Math.min(to, this.#length)).sort();
  }
}

/** The q-quantile of sorted numbers by nearest rank; `NaN` if there are none. */
export function quantileOf(sorted: Float64Array, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length)));
  return sorted[rank - 1] as number;
}
