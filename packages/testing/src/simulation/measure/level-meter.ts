import type { Milliseconds } from "@sluice/core";

/** Levels in one second: means over its time. */
export interface SecondLevels {
  readonly limit: number;
  readonly inFlight: number;
  /** Slots of the server that are busy; with processor sharing: pieces of work. */
  readonly busy: number;
}

/** Integrates levels that change at events, second by second. */
export class LevelMeter {
  readonly seconds: SecondLevels[] = [];
  #sinceMs: Milliseconds = 0;
  #limit = 0;
  #inFlight = 0;
  #busy = 0;
  #limitMs = 0;
  #inFlightMs = 0;
  #busyMs = 0;

  /** To be called after every event, and at each full second. */
  observe(atMs: Milliseconds, limit: number, inFlight: number, busy: number): void {
    const ms = atMs - this.#sinceMs;
    this.#limitMs += this.#limit * ms;
    this.#inFlightMs += this.#inFlight * ms;
    this.#busyMs += this.#busy * ms;
    this.#sinceMs = atMs;
    this.#limit = limit;
    this.#inFlight = inFlight;
    this.#busy = busy;
  }

  /** Ends a second, right after an `observe` at its end. */
  closeSecond(): void {
    this.seconds.push({
      limit: this.#limitMs / 1_000,
      inFlight: this.#inFlightMs / 1_000,
      busy: this.#busyMs / 1_000,
    });
    this.#limitMs = 0;
    this.#inFlightMs = 0;
    this.#busyMs = 0;
  }
}
