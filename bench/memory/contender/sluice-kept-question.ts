import { createLimiter, type Limiter, type Question } from "@sluice/core";
import type { KeyWalk } from "../../key/key-walk";
import { sluiceLimits } from "./sluice-limits";
import { PLENTY, type Setting, type Subject, USED_UP } from "./subject";

/** As {@link Sluice}, but the question of every key is made once and kept. */
export class SluiceKeptQuestion implements Subject {
  readonly #limiter: Limiter = createLimiter();
  readonly #setting: Setting;
  readonly #questions = new Map<string, Question>();

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  async fill(keys: readonly string[]): Promise<void> {
    this.#keepQuestions(keys, PLENTY);
    for (const question of this.#questions.values()) await this.#limiter.admit(question);
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    for (let index = 0; index < count; index += 1) {
      const question = this.#questions.get(walk.next()) as Question;
      const verdict = await this.#limiter.admit(question);
      if (verdict.admitted) admitted += 1;
    }
    return admitted;
  }

  async exhaust(keys: readonly string[]): Promise<void> {
    this.#keepQuestions(keys, USED_UP);
  }

  storedText(key: string): string {
    return key;
  }

  #keepQuestions(keys: readonly string[], lastMax: number): void {
    const limits = sluiceLimits(this.#setting, lastMax);
    for (const id of keys) this.#questions.set(id, { descriptors: [{ kind: "key", id, limits }] });
  }
}
