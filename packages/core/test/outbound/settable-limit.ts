import type { AdaptiveLimit, LimitSample } from "@sluice/core";

/** A limit that a test sets, and that remembers what it was told. */
export class SettableLimit implements AdaptiveLimit {
  readonly samples: LimitSample[] = [];
  readonly calls: string[] = [];
  fullCount = 0;
  /** How many probes may still be taken. */
  probes = 0;
  readonly #listeners = new Set<() => void>();
  #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set(limit: number): void {
    this.#limit = limit;
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  onSample(sample: LimitSample): void {
    this.samples.push(sample);
  }

  onFull(): void {
    this.fullCount += 1;
  }

  takeProbe(): boolean {
    if (this.probes === 0) return false;
    this.probes -= 1;
    return true;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  freeze(): void {
    this.calls.push("freeze");
  }

  unfreeze(): void {
    this.calls.push("unfreeze");
  }

  useStatic(limit: number): void {
    this.calls.push(`useStatic ${limit}`);
    this.set(limit);
  }
}
