/** Timers that may run at one instant before they are taken for an endless loop. */
const TIMERS_PER_INSTANT_MAX = 100_000;

/** Turns timers that schedule each other with no delay for ever into an error. */
export class LoopGuard {
  #instantMs = -1;
  #runs = 0;

  /** @throws Error if more than 100 000 timers ran at one instant. */
  count(instantMs: number): void {
    this.#runs = instantMs === this.#instantMs ? this.#runs + 1 : 1;
    this.#instantMs = instantMs;
    if (this.#runs > TIMERS_PER_INSTANT_MAX) {
      throw new Error(
        `FakeClock: more than ${TIMERS_PER_INSTANT_MAX} timers ran at one instant; ` +
          "do timers schedule each other with a delay of 0?",
      );
    }
  }
}
