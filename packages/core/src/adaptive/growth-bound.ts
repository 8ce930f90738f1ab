import type { Milliseconds } from "../limit/limit";

const SLICES = 10;
const SLICE_MS = 100;

/**
 * How far a limit may grow now: to at most (1 + `perSecond`) times its lowest value of the last
 * second, or that value + 1 if that is more. In slices of 100 ms, so that the second is 0.9 to 1 s.
 *
 * @remarks Providers limit the slope of a rate as well as the rate; and a limit that doubles at
 * once meets a server that has not warmed up.
 */
export class GrowthBound {
  readonly #perSecond: number;
  /** The lowest value in each slice; slices without any were those of the value before. */
  readonly #lowest: Float64Array;
  #slice: number;
  #value: number;

  constructor(perSecond: number, value: number, nowMs: Milliseconds) {
    this.#perSecond = perSecond;
    this.#value = value;
    this.#lowest = new Float64Array(SLICES).fill(value);
    this.#slice = Math.floor(nowMs / SLICE_MS);
  }

  /** Notes that the value is another from now on. */
  note(value: number, nowMs: Milliseconds): void {
    this.#goTo(nowMs);
    this.#value = value;
    const index = this.#slice % SLICES;
    this.#lowest[index] = Math.min(this.#lowest[index] ?? value, value);
  }

  /** The highest value that is allowed now. */
  highest(nowMs: Milliseconds): number {
    this.#goTo(nowMs);
    let lowest = this.#value;
    for (const each of this.#lowest) if (each < lowest) lowest = each;
    return Math.floor(Math.max(lowest + 1, lowest * (1 + this.#perSecond)));
  }

  #goTo(nowMs: Milliseconds): void {
    const slice = Math.floor(nowMs / SLICE_MS);
    const passed = Math.min(SLICES, slice - this.#slice);
    for (let back = 0; back < passed; back++) this.#lowest[(slice - back) % SLICES] = this.#value;
    if (passed > 0) this.#slice = slice;
  }
}
