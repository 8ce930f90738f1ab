import type { CancelTimer, Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { Place } from "../../queue/class-queues";
import type { Rejected, Verdict } from "../../verdict/verdict";
import type { LimiterPermit } from "../permit";
import type { Question } from "../question";
import type { ReadQuestion } from "../read-question";
import type { Line } from "./line";

/** What ends a wait from outside. */
export interface WaitEnds {
  onTime(): void;
  onAbort(): void;
}

/**
 * A question that waits: a promise of a verdict, a timer and an abort listener. It settles once,
 * and then holds neither timer nor listener.
 */
export class LimitWaiter {
  readonly question: Question;
  readonly read: ReadQuestion;
  readonly enteredMs: Milliseconds;
  readonly maxWaitMs: Milliseconds;
  readonly verdict: Promise<Verdict<LimiterPermit>>;
  /** Where it waits; absent before its first refusal, and after its end. */
  line: Line<LimitWaiter> | undefined;
  place: Place<LimitWaiter> | undefined;
  /** The store is being asked for it. */
  isAsked = false;
  isSettled = false;
  /** When it is to be asked again, if nothing is given back before; and whether that is exact. */
  retryAtMs: Milliseconds = 0;
  isRetryExact = false;
  /** What the store said last. */
  refusal: Rejected | undefined;
  #resolve: (verdict: Verdict<LimiterPermit>) => void = () => {};
  #cancelTimer: CancelTimer | undefined;
  #onAbort: (() => void) | undefined;

  constructor(question: Question, read: ReadQuestion, enteredMs: Milliseconds) {
    this.question = question;
    this.read = read;
    this.enteredMs = enteredMs;
    this.maxWaitMs = read.maxWaitMs;
    this.verdict = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isWaiting(): boolean {
    return this.#cancelTimer !== undefined;
  }

  /** Negative when its time is over. At 0 it may still be asked: it waits at most `maxWaitMs`. */
  leftMs(nowMs: Milliseconds): number {
    return this.enteredMs + this.maxWaitMs - nowMs;
  }

  /** Calls back when its time is over or its signal aborts, unless it is settled before. */
  startWaiting(clock: Clock, ends: WaitEnds): void {
    const leftMs = Math.max(0, this.leftMs(clock.nowMs()));
    // Somebody awaits this verdict, so the timer has to fire even if nothing else is left to do.
    this.#cancelTimer = clock.after(leftMs, () => ends.onTime(), { keepsProcessAlive: true });
    this.#onAbort = () => ends.onAbort();
    this.question.signal?.addEventListener("abort", this.#onAbort);
  }

  settle(verdict: Verdict<LimiterPermit>): void {
    this.isSettled = true;
    this.#cancelTimer?.();
    if (this.#onAbort) this.question.signal?.removeEventListener("abort", this.#onAbort);
    this.#resolve(verdict);
  }
}
