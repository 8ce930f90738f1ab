import type { KeyWalk } from "../../key/key-walk";
import { PLENTY, perLimit, type Setting, type Subject, USED_UP, windowMsOf } from "./subject";

/**
 * What no limiter can do without: one clock read, and for each limit a Map look-up, a comparison
 * and an addition. No promise, no answer, no expiry.
 */
export class Floor implements Subject {
  readonly #limits: readonly CounterTable[];

  constructor(setting: Setting) {
    this.#limits = perLimit(setting, (place) => ({
      byKey: new Map(),
      max: PLENTY,
      windowMs: windowMsOf(setting, place),
    }));
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const nowMs = Date.now();
      for (const { byKey, windowMs } of this.#limits) {
        byKey.set(key, { used: 1, endMs: nowMs + windowMs });
      }
    }
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    const limits = this.#limits;
    for (let index = 0; index < count; index += 1) {
      const key = walk.next();
      const nowMs = Date.now();
      let passes = true;
      for (let place = 0; passes && place < limits.length; place += 1) {
        passes = addOne(limits[place] as CounterTable, key, nowMs);
      }
      if (passes) admitted += 1;
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    (this.#limits.at(-1) as CounterTable).max = USED_UP;
  }

  storedText(key: string): string {
    return key;
  }
}

interface Counter {
  used: number;
  readonly endMs: number;
}

interface CounterTable {
  readonly byKey: Map<string, Counter>;
  max: number;
  readonly windowMs: number;
}

function addOne({ byKey, max }: CounterTable, key: string, nowMs: number): boolean {
  const counter = byKey.get(key) as Counter;
  if (counter.used >= max && nowMs < counter.endMs) return false;
  counter.used += 1;
  return true;
}
