/** Coprime to every number of keys that is measured, so that a walk meets all of them. */
const STRIDE = 7919;

/** Goes over the keys again and again in large steps, so that neighbours in memory are not met in order. */
export class KeyWalk {
  readonly #keys: readonly string[];
  readonly #stride: number;
  #place = 0;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
    this.#stride = STRIDE % keys.length;
  }

  next(): string {
    this.#place += this.#stride;
    if (this.#place >= this.#keys.length) this.#place -= this.#keys.length;
    return this.#keys[this.#place] as string;
  }
}
