import type { CancelTimer, Clock } from "@sluice/core";
import { LoopGuard } from "../../clock/loop-guard";
import { promiseReactions } from "../../clock/promise-reactions";
import { badInput } from "../../input/bad-input";
import { EventHeap, type EventTarget } from "./event-heap";

/**
 * The clock of a simulation, and its list of what happens next. Whoever is simulated reads whole
 * milliseconds from it, as the `Clock` port promises; the model itself counts in fractions of them,
 * so that a service time of 50 ms x 0.9 to 1.1 keeps its mean.
 *
 * @remarks `FakeClock` moves in whole milliseconds and keeps its timers in a sorted array: right
 * for a test, too coarse and too slow for millions of events.
 */
export class SimulationClock implements Clock {
  readonly #heap = new EventHeap();
  readonly #guard = new LoopGuard();
  #exactMs = 0;

  nowMs(): number {
    return Math.floor(this.#exactMs);
  }

  /** The instant with its fraction of a millisecond. */
  get exactMs(): number {
    return this.#exactMs;
  }

  /** Calls `fn` after `delayMs`, not before a whole `delayMs` has passed by `nowMs`. */
  after(delayMs: number, fn: () => void): CancelTimer {
    if (!(delayMs >= 0)) {
      throw badInput("timer", "delayMs", "a number of 0 or more (Infinity never fires)", delayMs);
    }
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    const call = new TimerCall(fn);
    this.#heap.add(this.#exactMs + delayMs, call);
    return () => call.cancel();
  }

  /** Runs `target` at an instant; one that has passed means now. @returns its ticket. */
  at(dueAtMs: number, target: EventTarget): number {
    return this.#heap.add(Math.max(dueAtMs, this.#exactMs), target);
  }

  /** Runs everything that happens up to and at `endMs`, and stands there. */
  runUntil(endMs: number): void {
    while (this.#heap.nextDueMs <= endMs) this.#step();
    this.#exactMs = endMs;
  }

  /**
   * Like `runUntil`, and lets promise reactions run before, between and after the events. Stops
   * early when `isOver` says so.
   */
  async runUntilAsync(endMs: number, isOver: () => boolean): Promise<void> {
    await promiseReactions();
    while (this.#heap.nextDueMs <= endMs && !isOver()) {
      this.#step();
      await promiseReactions();
    }
    this.#exactMs = endMs;
  }

  #step(): void {
    this.#exactMs = this.#heap.nextDueMs;
    this.#guard.count(this.#exactMs);
    this.#heap.runNext();
  }
}

/** A timer of whoever is simulated. */
class TimerCall implements EventTarget {
  #fn: (() => void) | undefined;

  constructor(fn: () => void) {
    this.#fn = fn;
  }

  cancel(): void {
    this.#fn = undefined;
  }

  run(): void {
    this.#fn?.();
    this.#fn = undefined;
  }
}
