import { type BulkheadPolicy, bulkhead } from "cockatiel";
import type { Subject } from "./subject";

const work = (): undefined => undefined;

/** The bulkhead of cockatiel: slots and a bounded queue, around a function. */
export class Cockatiel implements Subject {
  readonly #bulkhead: BulkheadPolicy = bulkhead(100, 100);

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await this.#bulkhead.execute(work);
  }
}
