import { createLimiter, type Descriptor, type LimiterPermit, type Store } from "@sluice/core";
import { seededRandom } from "@sluice/testing";
import { pause } from "../executor/stage";
import { RecordingStore } from "./recording-store";
import { mixedSubjects } from "./subjects";

/**
 * One caller of the mixed runs: asks about some of the subjects, works for a moment, and closes its
 * permit in some way, now and then in several ways at once.
 */
export class MixedLane {
  readonly store: RecordingStore;
  readonly #limiter: ReturnType<typeof createLimiter>;
  readonly #random: ReturnType<typeof seededRandom>;
  readonly #name: string;
  #asked = 0;

  constructor(store: Store, name: string, seed: number) {
    this.#name = name;
    this.store = new RecordingStore(store);
    this.#random = seededRandom(seed);
    // Ids must differ between lanes, so they come from the system.
    this.#limiter = createLimiter({ store: this.store, onStoreUnavailable: "reject" });
  }

  async askOnce(): Promise<void> {
    this.#asked += 1;
    this.store.begin(`${this.#name}-${this.#asked}`);
    const cost = { requests: this.#upTo(3), tokens: this.#upTo(40) };
    const verdict = await this.#limiter.admit({ descriptors: this.#someSubjects(), cost });
    await pause(this.#upTo(6));
    if (verdict.admitted) await this.#close(verdict.permit);
  }

  async close(): Promise<void> {
    await this.#limiter.close();
  }

  #upTo(most: number): number {
    return Math.floor(this.#random.next() * (most + 1));
  }

  #someSubjects(): readonly Descriptor[] {
    const first = this.#upTo(mixedSubjects.length - 1);
    const count = 1 + this.#upTo(2);
    return Array.from(
      { length: count },
      (_, index) => mixedSubjects[(first + index * 2) % mixedSubjects.length] as Descriptor,
    );
  }

  async #close(permit: LimiterPermit): Promise<void> {
    const closings = [
      () => permit.release(),
      () => permit.refund(),
      () => permit.settle({ requests: this.#upTo(3), tokens: this.#upTo(60) }),
      () => Promise.all([permit.settle({ tokens: 1 }), permit.refund(), permit.release()]),
    ];
    await closings[this.#upTo(closings.length - 1)]?.();
  }
}
