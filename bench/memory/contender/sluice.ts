import { createLimiter, type FixedWindowLimit, type Limiter, memoryStore } from "@sluice/core";
import type { KeyWalk } from "../../key/key-walk";
import { sluiceLimits } from "./sluice-limits";
import { type Setting, type Subject, USED_UP } from "./subject";

/** Our limiter over our memory store, asked as a policy asks: a new question for every request. */
export class Sluice implements Subject {
  readonly #store = memoryStore();
  readonly #limiter: Limiter = createLimiter({ store: this.#store });
  readonly #setting: Setting;
  #limits: readonly FixedWindowLimit[];

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#limits = sluiceLimits(setting);
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const id of keys) {
      await this.#limiter.admit({ descriptors: [{ kind: "key", id, limits: this.#limits }] });
    }
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    for (let index = 0; index < count; index += 1) {
      const descriptor = { kind: "key", id: walk.next(), limits: this.#limits };
      const verdict = await this.#limiter.admit({ descriptors: [descriptor] });
      if (verdict.admitted) admitted += 1;
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    this.#limits = sluiceLimits(this.#setting, USED_UP);
  }

  storedText(key: string): string {
    return key;
  }

  size(): number {
    return this.#store.size;
  }
}
