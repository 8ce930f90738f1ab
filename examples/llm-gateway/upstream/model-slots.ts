/** Gives a slot back. */
type Free = () => void;

/**
 * How many requests a model works on at once; the others wait, first in, first out, and whoever
 * leaves meanwhile is not worked on. Without a number it works on all at once.
 */
export class ModelSlots {
  #slots = Number.POSITIVE_INFINITY;
  #busy = 0;
  readonly #waiting = new Set<() => void>();

  /** Fewer slots take effect as work ends. */
  resize(slots: number): void {
    this.#slots = slots;
    this.#startWaiting();
  }

  /** Resolves with a slot. Rejects with the signal's reason when the caller leaves before. */
  take(signal: AbortSignal): Promise<Free> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal.reason as Error);
      };
      const start = () => {
        signal.removeEventListener("abort", leave);
        this.#busy += 1;
        resolve(() => {
          this.#busy -= 1;
          this.#startWaiting();
        });
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(start);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (const start of this.#waiting) {
      if (this.#busy >= this.#slots) return;
      this.#waiting.delete(start);
      start();
    }
  }
}

/** The slots of every model that was asked for. */
export class SlotsByModel {
  readonly #models = new Map<string, ModelSlots>();

  of(model: string): ModelSlots {
    const known = this.#models.get(model) ?? new ModelSlots();
    this.#models.set(model, known);
    return known;
  }
}
