import type { CancelTimer, Clock } from "../clock/clock";
import type { Milliseconds } from "../limit/limit";
import type { GateVerdict } from "./gate";
import type { LiveClass } from "./live-class";

/** Why a waiter is refused without anybody else's doing. */
export type GiveUpReason = "queue_timeout" | "deadline_unreachable" | "aborted";

/** How long a request may wait, and what ends the wait. */
export interface Patience {
  readonly enteredAtMs: Milliseconds;
  /** The gate's own bound. */
  readonly timeoutMs: Milliseconds;
  /** Milliseconds that the caller had left when it entered; `Infinity` if it did not say. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly gateClass: LiveClass;
}

/**
 * A request in the queue: a promise of a verdict, a timer and an abort listener. It settles once,
 * and then holds neither timer nor listener, whoever settled it.
 */
export class Waiter {
  readonly verdict: Promise<GateVerdict>;
  readonly enteredAtMs: Milliseconds;
  readonly gateClass: LiveClass;
  /** What to answer when its time is over: the name of the bound that ends first. */
  readonly overReason: "queue_timeout" | "deadline_unreachable";
  readonly #patienceMs: number;
  readonly #signal: AbortSignal | undefined;
  #resolve: (verdict: GateVerdict) => void = () => {};
  #cancelTimer: CancelTimer = () => {};
  #onAbort: () => void = () => {};

  constructor({ enteredAtMs, timeoutMs, deadlineMs, signal, gateClass }: Patience) {
    this.enteredAtMs = enteredAtMs;
    this.gateClass = gateClass;
    this.overReason = deadlineMs < timeoutMs ? "deadline_unreachable" : "queue_timeout";
    this.#patienceMs = Math.min(timeoutMs, deadlineMs);
    this.#signal = signal;
    this.verdict = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether it has waited as long as it may. The timer can be late; this is not. */
  isOverAt(nowMs: Milliseconds): boolean {
    return nowMs - this.enteredAtMs >= this.#patienceMs;
  }

  /** Calls `giveUp` when its time is over or its signal aborts, unless it is settled before. */
  startWaiting(clock: Clock, giveUp: (reason: GiveUpReason) => void): void {
    // Somebody awaits this verdict, so the timer has to fire even if nothing else is left to do.
    this.#cancelTimer = clock.after(Math.ceil(this.#patienceMs), () => giveUp(this.overReason), {
      keepsProcessAlive: true,
    });
    this.#onAbort = () => giveUp("aborted");
    this.#signal?.addEventListener("abort", this.#onAbort);
  }

  /** Answers the caller. The gate does it once, after taking the waiter out of the queue. */
  settle(verdict: GateVerdict): void {
    this.#cancelTimer();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#resolve(verdict);
  }
}
