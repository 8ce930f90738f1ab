/** What the upstream itself saw since the last reset: the witness that no client can talk over. */
export interface LoadReport {
  /** The most requests it ever had in hand at once. */
  readonly inFlightMax: number;
  readonly started: number;
  /** When each answer was completed, in milliseconds after the first request came in. */
  readonly completedAtMs: readonly number[];
}

/** One request in the upstream's hands. */
export interface WorkInHand {
  /** Counts the work as done. The first of the two calls wins. */
  complete(): void;
  /** The caller left before the end. */
  abandon(): void;
}

/** Counts what the upstream has in hand and what it completed. */
export class LoadRecord {
  #inFlight = 0;
  #inFlightMax = 0;
  #started = 0;
  #firstAtMs: number | undefined;
  #completedAtMs: number[] = [];

  begin(): WorkInHand {
    this.#firstAtMs ??= performance.now();
    this.#started += 1;
    this.#inFlight += 1;
    this.#inFlightMax = Math.max(this.#inFlightMax, this.#inFlight);
    let isOpen = true;
    const close = () => {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) this.#inFlight -= 1;
      return wasOpen;
    };
    return {
      complete: () => {
        if (close()) this.#completedAtMs.push(performance.now() - (this.#firstAtMs ?? 0));
      },
      abandon: () => void close(),
    };
  }

  report(): LoadReport {
    return {
      inFlightMax: this.#inFlightMax,
      started: this.#started,
      completedAtMs: this.#completedAtMs,
    };
  }

  /** Forgets what was, except the work that is still in hand. */
  reset(): void {
    this.#inFlightMax = this.#inFlight;
    this.#started = 0;
    this.#firstAtMs = undefined;
    this.#completedAtMs = [];
  }
}
