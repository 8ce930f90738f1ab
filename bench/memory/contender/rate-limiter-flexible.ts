import { RateLimiterMemory } from "rate-limiter-flexible";
import type { KeyWalk } from "../../key/key-walk";
import { PLENTY, perLimit, type Setting, type Subject, USED_UP, windowMsOf } from "./subject";

/** RateLimiterMemory of rate-limiter-flexible: one limiter and one awaited `consume` per limit. */
export class RateLimiterFlexible implements Subject {
  readonly #limiters: readonly RateLimiterMemory[];

  constructor(setting: Setting) {
    this.#limiters = perLimit(setting, (place) => {
      const duration = windowMsOf(setting, place) / 1000;
      return new RateLimiterMemory({ points: PLENTY, duration });
    });
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) for (const limiter of this.#limiters) await limiter.consume(key);
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    const limiters = this.#limiters;
    for (let index = 0; index < count; index += 1) {
      const key = walk.next();
      try {
        for (let place = 0; place < limiters.length; place += 1) {
          await (limiters[place] as RateLimiterMemory).consume(key);
        }
        admitted += 1;
      } catch {}
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    (this.#limiters.at(-1) as RateLimiterMemory).points = USED_UP;
  }

  storedText(key: string): string {
    return `rlflx:${key}`;
  }
}
