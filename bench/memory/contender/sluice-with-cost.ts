import { createLimiter, type FixedWindowLimit, type Limiter } from "@sluice/core";
import type { KeyWalk } from "../../key/key-walk";
import { sluiceLimits } from "./sluice-limits";
import { type Setting, type Subject, USED_UP } from "./subject";

/** As {@link Sluice}, with a cost in every question and the id in two parts. */
export class SluiceWithCost implements Subject {
  readonly #limiter: Limiter = createLimiter();
  readonly #setting: Setting;
  #limits: readonly FixedWindowLimit[];

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#limits = sluiceLimits(setting);
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const descriptor = { kind: "key", id: [key, "gpt-4o"], limits: this.#limits };
      await this.#limiter.admit({ descriptors: [descriptor] });
    }
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    for (let index = 0; index < count; index += 1) {
      const descriptor = { kind: "key", id: [walk.next(), "gpt-4o"], limits: this.#limits };
      const cost = { requests: 1, tokens: index };
      const verdict = await this.#limiter.admit({ descriptors: [descriptor], cost });
      if (verdict.admitted) admitted += 1;
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    this.#limits = sluiceLimits(this.#setting, USED_UP);
  }

  storedText(key: string): string {
    return `${key}:gpt-4o`;
  }
}
