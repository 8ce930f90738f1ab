import { createLimiter, type Descriptor, type FixedWindowLimit, type Limiter } from "@sluice/core";
import type { KeyWalk } from "../../key/key-walk";
import { sluiceLimits } from "./sluice-limits";
import { type Setting, type Subject, USED_UP } from "./subject";

/** As {@link Sluice}, but every limit stands on a descriptor of its own: key, user, team, ... */
export class SluiceManySubjects implements Subject {
  readonly #limiter: Limiter = createLimiter();
  readonly #setting: Setting;
  #subjects: readonly LimitedKind[];

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#subjects = limitedKinds(sluiceLimits(setting));
  }

  async fill(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#limiter.admit({ descriptors: this.#descriptors(key) });
  }

  async ask(walk: KeyWalk, count: number): Promise<number> {
    let admitted = 0;
    for (let index = 0; index < count; index += 1) {
      const verdict = await this.#limiter.admit({ descriptors: this.#descriptors(walk.next()) });
      if (verdict.admitted) admitted += 1;
    }
    return admitted;
  }

  async exhaust(): Promise<void> {
    this.#subjects = limitedKinds(sluiceLimits(this.#setting, USED_UP));
  }

  storedText(key: string): string {
    return key;
  }

  #descriptors(id: string): Descriptor[] {
    return this.#subjects.map(({ kind, limits }) => ({ kind, id, limits }));
  }
}

interface LimitedKind {
  readonly kind: string;
  readonly limits: readonly FixedWindowLimit[];
}

function limitedKinds(limits: readonly FixedWindowLimit[]): LimitedKind[] {
  return limits.map((limit, place) => ({ kind: `subject${place}`, limits: [limit] }));
}
