import { MemoryStore, type Options } from "express-rate-limit";
import type { KeyWalk } from "../../key/key-walk";
import { PLENTY, perLimit, type Setting, type Subject, USED_UP, windowMsOf } from "./subject";

/**
 * The MemoryStore of express-rate-limit: one store and one awaited `increment` per limit, and the
 * comparison that its middleware makes.
 */
export class ExpressRateLimit implements Subject {
  readonly #stores: readonly MemoryStore[];
  readonly #maxima: number[];

  constructor(setting: Setting) {
    this.#maxima = perLimit(setting, () => PLENTY);
    this.#stores = perLimit(setting, (place) => {
      const store = new MemoryStore();
      store.init({ windowMs: windowMsOf(setting, place) } as Options);
      return store;
    });
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) for (const store of this.#stores) await store.increment(key);
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    const stores = this.#stores;
    for (let index = 0; index < count; index += 1) {
      const key = walk.next();
      let passes = true;
      for (let place = 0; passes && place < stores.length; place += 1) {
        const { totalHits } = await (stores[place] as MemoryStore).increment(key);
        passes = totalHits <= (this.#maxima[place] as number);
      }
      if (passes) admitted += 1;
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    this.#maxima[this.#maxima.length - 1] = USED_UP;
  }

  storedText(key: string): string {
    return key;
  }
}
