import type { CancelTimer, Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { MemoryEntries, Sweep } from "./memory-entries";

/** Entries looked at in one turn of the loop: well below a millisecond of work. */
const SLICE = 250;

/** The pause between two slices of a round, so that requests come first. */
const SLICE_PAUSE_MS = 2;

/** The least time between two rounds. */
const ROUND_PAUSE_MS = 1000;

/**
 * Further time between two rounds, per key: 10 s at a million keys, so that sweeping stays below 1
 * %.
 */
const ROUND_PAUSE_PER_KEY_MS = 0.01;

/**
 * Drops expired entries in slices, by one timer for the whole store, which is pending only while
 * there is something to drop later. A round looks at every entry once and learns when the earliest
 * of them expires; the next round begins then, or when an entry written since expires earlier.
 */
export class Sweeper {
  readonly #entries: MemoryEntries;
  readonly #clock: Clock;
  #cancel: CancelTimer | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;
  #sweep: Sweep | undefined;

  constructor(entries: MemoryEntries, clock: Clock) {
    this.#entries = entries;
    this.#clock = clock;
  }

  /** Tells that an entry was written which expires at this instant. */
  expectAt(expiresAtMs: Milliseconds, nowMs: Milliseconds): void {
    if (this.#sweep !== undefined) {
      this.#sweep.earliestMs = Math.min(this.#sweep.earliestMs, expiresAtMs);
    } else if (expiresAtMs < this.#wakeMs) {
      this.#wakeFor(expiresAtMs, nowMs);
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sweep = undefined;
    this.#wakeMs = Number.POSITIVE_INFINITY;
  }

  /** Begins a round when the entry that expires at `expiresAtMs` can go, if none begins sooner. */
  #wakeFor(expiresAtMs: Milliseconds, nowMs: Milliseconds): void {
    const pauseMs = ROUND_PAUSE_MS + Math.ceil(this.#entries.size * ROUND_PAUSE_PER_KEY_MS);
    const wakeMs = Math.max(expiresAtMs, nowMs + pauseMs);
    if (wakeMs < this.#wakeMs) this.#schedule(wakeMs, nowMs);
  }

  #schedule(wakeMs: Milliseconds, nowMs: Milliseconds): void {
    this.#cancel?.();
    this.#wakeMs = wakeMs;
    this.#cancel = this.#clock.after(wakeMs - nowMs, () => this.#slice());
  }

  #slice(): void {
    const nowMs = this.#clock.nowMs();
    this.#sweep ??= this.#entries.beginSweep();
    if (!this.#sweep.slice(SLICE, nowMs)) {
      this.#schedule(nowMs + SLICE_PAUSE_MS, nowMs);
      return;
    }
    const { earliestMs } = this.#sweep;
    this.stop();
    if (this.#entries.size > 0) this.#wakeFor(earliestMs, nowMs);
  }
}
