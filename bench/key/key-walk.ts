const SEED = 88_172_645;

/**
 * Draws keys at random, the same ones in every run. A fixed order would favour whoever makes a new
 * object for every question: these would lie in memory in the order in which they are next met.
 */
export class KeyWalk {
  readonly #keys: readonly string[];
  #bits = SEED;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  next(): string {
    // Marsaglia's xorshift with 32 bits of state.
    let bits = this.#bits;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.#bits = bits;
    return this.#keys[(bits >>> 0) % this.#keys.length] as string;
  }
}
