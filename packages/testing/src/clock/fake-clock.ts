import {
  type CancelTimer,
  type Clock,
  OptionsReader,
  Problems,
  type TimerOptions,
} from "@sluice/core";
import { badInput, requireMilliseconds } from "../input/bad-input";
import { LoopGuard } from "./loop-guard";
import { promiseReactions } from "./promise-reactions";
import { type PendingTimer, TimerQueue } from "./timer-queue";

/** A start for {@link FakeClock} of the size that real clocks show: 2026-01-01T00:00:00Z. */
export const realisticStartMs = 1_767_225_600_000;

/** What a caller may say when it makes a {@link FakeClock}. */
export interface FakeClockOptions {
  /**
   * The first instant, an integer of 0 or more.
   *
   * @defaultValue 0, which finds code that takes instant 0 for "unset". Use {@link
   * realisticStartMs} beside it, which finds code that only works with small numbers.
   */
  readonly startMs?: number;
}

/**
 * A clock that moves only when a test moves it. Timers run inside `advance`, `advanceAsync` and
 * `runUntilIdle`, in the order of their due times and then of their creation, and read their own
 * due time from `nowMs` while they run. No real timer is ever started.
 *
 * @remarks Learned from governor's fake relative clock and Kubernetes' event clock; theirs run
 * timers without letting promises settle in between, `advanceAsync` does.
 */
export class FakeClock implements Clock {
  readonly #timers = new TimerQueue();
  /** Only ever grows. Timers are due on this line, so that a step back makes none of them late. */
  #elapsedMs = 0;
  /** What `nowMs` shows beyond the elapsed time; a step back lowers it. */
  #offsetMs: number;
  #sequence = 0;
  #isAdvancing = false;

  /** @throws InvalidOptionsError if `startMs` is not an integer of 0 or more. */
  constructor(options: FakeClockOptions = {}) {
    const problems = new Problems("FakeClock options");
    const reader = new OptionsReader(options, ["startMs"], problems);
    this.#offsetMs = reader.integer("startMs", { min: 0, fallback: 0 });
    problems.throwIfAny();
  }

  nowMs(): number {
    return this.#offsetMs + this.#elapsedMs;
  }

  /**
   * Calls `fn` once when the clock has been moved by `delayMs`; fractions round up, `Infinity`
   * never fires and does not count as pending.
   *
   * @throws InvalidOptionsError if `delayMs` is negative or not a number.
   */
  after(delayMs: number, fn: () => void, options?: TimerOptions): CancelTimer {
    if (!(delayMs >= 0)) {
      throw badInput("timer", "delayMs", "a number of 0 or more (Infinity never fires)", delayMs);
    }
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    this.#sequence += 1;
    const timer: PendingTimer = {
      dueAtMs: this.#elapsedMs + Math.ceil(delayMs),
      sequence: this.#sequence,
      keepsProcessAlive: options?.keepsProcessAlive ?? false,
      fn,
    };
    this.#timers.add(timer);
    return () => this.#timers.remove(timer);
  }

  /** How many timers are pending. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** How many of the pending timers were asked to keep the process alive. */
  get keepAliveTimers(): number {
    return this.#timers.keepAliveCount;
  }

  /** The instant at which the next timer runs, as `nowMs` will show it; absent when idle. */
  get nextDueMs(): number | undefined {
    const next = this.#timers.next;
    return next === undefined ? undefined : this.#offsetMs + next.dueAtMs;
  }

  /** Whether no timer is pending. */
  get isIdle(): boolean {
    return this.#timers.size === 0;
  }

  /**
   * Moves time by `ms` (an integer of 0 or more) and runs what becomes due, also what those timers
   * schedule within that time. Promise reactions run only after it has returned.
   *
   * @throws InvalidOptionsError on a bad `ms`; an Error if the clock is being advanced already, or
   * if
   *   timers keep scheduling each other without time passing; whatever a timer throws, with the
   *   clock standing at that timer.
   */
  advance(ms: number): void {
    const targetMs = this.#begin(ms);
    try {
      const guard = new LoopGuard();
      while (this.#isDueBy(targetMs)) this.#runNext(guard);
      this.#elapsedMs = targetMs;
    } finally {
      this.#isAdvancing = false;
    }
  }

  /**
   * Moves time by `ms` like `advance`, and lets all promise reactions run before the first timer,
   * after each timer, and at the end, so that what they schedule takes part too.
   *
   * @throws (as a rejected promise) what `advance` throws.
   */
  async advanceAsync(ms: number): Promise<void> {
    const targetMs = this.#begin(ms);
    try {
      const guard = new LoopGuard();
      await promiseReactions();
      do {
        while (this.#isDueBy(targetMs)) {
          this.#runNext(guard);
          await promiseReactions();
        }
        this.#elapsedMs = targetMs;
        await promiseReactions();
      } while (this.#isDueBy(targetMs));
    } finally {
      this.#isAdvancing = false;
    }
  }

  /**
   * Lets promise reactions and timers run, moving time from one due timer to the next, until no
   * timer is pending. Time stands at the last timer then.
   *
   * @param maxMs how far time may move; a day by default.
   * @throws (as a rejected promise) an Error if timers are still pending after `maxMs` (something
   *   repeats, or waits for longer), and what `advance` throws.
   */
  async runUntilIdle(maxMs = 86_400_000): Promise<void> {
    const lastMs = this.#begin(maxMs);
    try {
      const guard = new LoopGuard();
      await promiseReactions();
      while (this.#isDueBy(lastMs)) {
        this.#runNext(guard);
        await promiseReactions();
      }
    } finally {
      this.#isAdvancing = false;
    }
    if (!this.isIdle) {
      throw new Error(
        `FakeClock.runUntilIdle: expected no pending timer within ${maxMs} ms, ` +
          `but ${this.pendingTimers} are pending, the next at ${this.nextDueMs}`,
      );
    }
  }

  /**
   * Moves `nowMs` back by `ms`, as a store's wall clock may be. Timers keep what is left of their
   * delay. For tests of transitions and stores only: the `Clock` port promises never to do this,
   * and gate and limiter rely on it.
   *
   * @throws InvalidOptionsError if `ms` is not an integer of 0 or more, or would lead below 0.
   */
  stepBack(ms: number): void {
    requireMilliseconds("step", "ms", ms);
    if (ms > this.nowMs()) {
      throw badInput("step", "ms", `at most the current instant, ${this.nowMs()}`, ms);
    }
    this.#offsetMs -= ms;
  }

  /** Checks a move of `ms` and marks it as begun; returns the elapsed time at its end. */
  #begin(ms: number): number {
    requireMilliseconds("step", "ms", ms);
    const targetMs = this.#elapsedMs + ms;
    if (!Number.isSafeInteger(this.#offsetMs + targetMs)) {
      throw badInput("step", "ms", "an instant that is a safe integer afterwards", ms);
    }
    if (this.#isAdvancing) {
      throw new Error(
        "FakeClock: time is being moved already; await the running advanceAsync, " +
          "and do not advance the clock from inside a timer",
      );
    }
    this.#isAdvancing = true;
    return targetMs;
  }

  #isDueBy(targetMs: number): boolean {
    const next = this.#timers.next;
    return next !== undefined && next.dueAtMs <= targetMs;
  }

  #runNext(guard: LoopGuard): void {
    const timer = this.#timers.next;
    if (timer === undefined) return;
    guard.count(timer.dueAtMs);
    this.#timers.remove(timer);
    this.#elapsedMs = timer.dueAtMs;
    timer.fn();
  }
}
