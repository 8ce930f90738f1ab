import type { LimitsTarget } from "../../engine/command";
import { Line } from "./line";

/** Names a descriptor among those of one limiter: a kind has no colon. */
export function descriptorKey({ kind, id }: Pick<LimitsTarget, "kind" | "id">): string {
  return `${kind}:${id}`;
}

/** All lines of a limiter, by descriptor and limit; only those in which somebody waits. */
export class Lines<T> {
  readonly #byKey = new Map<string, Map<string, Line<T>>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  find(key: string, limit: string): Line<T> | undefined {
    return this.#byKey.get(key)?.get(limit);
  }

  findOrMake(key: string, limit: string): Line<T> {
    let ofKey = this.#byKey.get(key);
    if (ofKey === undefined) {
      ofKey = new Map();
      this.#byKey.set(key, ofKey);
    }
    let line = ofKey.get(limit);
    if (line === undefined) {
      line = new Line<T>(key, limit);
      ofKey.set(limit, line);
      this.#count += 1;
    }
    return line;
  }

  /** The lines of one descriptor. */
  of(key: string): readonly Line<T>[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  all(): readonly Line<T>[] {
    return [...this.#byKey.values()].flatMap((ofKey) => [...ofKey.values()]);
  }

  remove({ key, limit }: Line<T>): void {
    const ofKey = this.#byKey.get(key);
    if (ofKey?.delete(limit) !== true) return;
    this.#count -= 1;
    if (ofKey.size === 0) this.#byKey.delete(key);
  }
}
