/**
 * A mean that is plain over the first samples and exponential after them, with a weight of
 * 2 / (window + 1) for the newest.
 */
export class ExponentialMean {
  readonly #weight: number;
  readonly #warmUp: number;
  #count = 0;
  #value = 0;

  constructor({ window, warmUp }: { readonly window: number; readonly warmUp: number }) {
    this.#weight = 2 / (window + 1);
    this.#warmUp = warmUp;
  }

  /** Takes a sample and returns the mean with it. */
  add(sample: number): number {
    const isWarm = this.#count >= this.#warmUp;
    if (!isWarm) this.#count += 1;
    this.#value += (isWarm ? this.#weight : 1 / this.#count) * (sample - this.#value);
    return this.#value;
  }

  get value(): number {
    return this.#value;
  }

  /** Multiplies the mean. */
  scale(factor: number): void {
    this.#value *= factor;
  }
}
