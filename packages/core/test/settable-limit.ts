import type { AdaptiveLimit, LimitSample } from "@sluice/core";

/** An adaptive limit that says what a test sets, and keeps what it was told. */
export class SettableLimit implements AdaptiveLimit {
  readonly samples: LimitSample[] = [];
  /** What an operator did. */
  readonly calls: string[] = [];
  /** How many may start beyond the limit. */
  probes = 0;
  fullCount = 0;
  #limit: number;
  readonly #listeners = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  set(limit: number): void {
    this.#limit = limit;
    for (const listener of [...this.#listeners]) listener();
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
