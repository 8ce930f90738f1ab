import type { AdaptiveLimit, LimitSample } from "../adaptive/adaptive-limit";

/**
 * The bond between a gate and the adaptive limit that finds its cap; without a limit it does
 * nothing. A limit promises not to throw; one of the user's own making that does must not cost the
 * gate a slot, so what it throws is dropped.
 */
export class LimitLink {
  readonly #onChange: () => void;
  #limit: AdaptiveLimit | undefined;
  #unsubscribe: () => void = () => {};

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Lets go of the limit that was there, and hears of changes of this one. If that throws, all
   * stays as it was.
   */
  to(limit: AdaptiveLimit | undefined): void {
    if (limit === this.#limit) return;
    const unsubscribe = limit?.onChange(this.#onChange) ?? (() => {});
    this.#unsubscribe();
    this.#limit = limit;
    this.#unsubscribe = unsubscribe;
  }

  sample(sample: LimitSample): void {
    if (this.#limit === undefined) return;
    try {
      this.#limit.onSample(sample);
    } catch {
      // See above.
    }
  }

  onFull(): void {
    if (this.#limit === undefined) return;
    try {
      this.#limit.onFull();
    } catch {
      // See above.
    }
  }

  takeProbe(): boolean {
    if (this.#limit === undefined) return false;
    try {
      return this.#limit.takeProbe();
    } catch {
      return false;
    }
  }
}
