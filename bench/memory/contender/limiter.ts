import { RateLimiter } from "limiter";
import type { KeyWalk } from "../../key/key-walk";
import { PLENTY, perLimit, type Setting, type Subject, USED_UP, windowMsOf } from "./subject";

/** The package `limiter`: one Map from keys to RateLimiters per limit, asked without a promise. */
export class LimiterPackage implements Subject {
  readonly #limits: LimitTable[];

  constructor(setting: Setting) {
    this.#limits = perLimit(setting, (place) => ({
      byKey: new Map(),
      tokensPerInterval: PLENTY,
      interval: windowMsOf(setting, place),
    }));
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) for (const limit of this.#limits) tryRemove(limit, key);
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    const limits = this.#limits;
    for (let index = 0; index < count; index += 1) {
      const key = walk.next();
      let passes = true;
      for (let place = 0; passes && place < limits.length; place += 1) {
        passes = tryRemove(limits[place] as LimitTable, key);
      }
      if (passes) admitted += 1;
    }
    return admitted;
  }

  async exhaust(keys: readonly string[]): Promise<void> {
    const last = this.#limits.pop() as LimitTable;
    const tight = { ...last, byKey: new Map(), tokensPerInterval: USED_UP };
    for (const key of keys) tryRemove(tight, key);
    this.#limits.push(tight);
  }

  storedText(key: string): string {
    return key;
  }
}

interface LimitTable {
  readonly byKey: Map<string, RateLimiter>;
  readonly tokensPerInterval: number;
  readonly interval: number;
}

function tryRemove({ byKey, tokensPerInterval, interval }: LimitTable, key: string): boolean {
  let limiter = byKey.get(key);
  if (limiter === undefined) {
    limiter = new RateLimiter({ tokensPerInterval, interval });
    byKey.set(key, limiter);
  }
  return limiter.tryRemoveTokens(1);
}
