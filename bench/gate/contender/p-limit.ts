import pLimit, { type LimitFunction } from "p-limit";
import type { Subject } from "./subject";

const work = (): undefined => undefined;

/** p-limit: slots and an unbounded queue, around a function. */
export class PLimit implements Subject {
  readonly #limit: LimitFunction = pLimit(100);

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.#limit(work);
  }
}
