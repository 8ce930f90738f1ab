import { type Recorder, record } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";
import type { Reason, Verdict } from "../../verdict/verdict";
import type { LimiterPermit } from "../permit";
import type { LimitWaiter } from "./limit-waiter";

/** What waits in a limiter, and what has waited since it was made. */
export interface LimiterStats {
  /** Questions that wait now. */
  readonly queued: number;
  /** Limits of descriptors for which somebody waits now. */
  readonly queues: number;
  /** Questions that were admitted after a wait. */
  readonly admittedAfterWait: number;
  /** Questions that were ready to wait, and were refused in or before the queue, by reason. */
  readonly refusedByReason: Readonly<Partial<Record<Reason, number>>>;
}

/** Counts waits, and tells the recorder of them. */
export class WaitingReport {
  readonly #recorder: Recorder | undefined;
  readonly #refused = new Map<Reason, number>();
  #queued = 0;
  #admitted = 0;

  constructor(recorder: Recorder | undefined) {
    this.#recorder = recorder;
  }

  get queued(): number {
    return this.#queued;
  }

  began({ line, place }: LimitWaiter): void {
    this.#queued += 1;
    if (line === undefined || place === undefined) return;
    record(this.#recorder, {
      type: "limiter_wait_began",
      kind: kindIn(line.key),
      limit: line.limit,
      class: place.className,
      queued: this.#queued,
    });
  }

  /** `waiter` has waited, and is settled with `verdict`. */
  ended({ line }: LimitWaiter, verdict: Verdict<LimiterPermit>, waitedMs: Milliseconds): void {
    this.#queued -= 1;
    if (verdict.admitted) this.#admitted += 1;
    else this.refused(verdict.rejection.reason);
    if (line === undefined) return;
    const { admitted } = verdict;
    record(this.#recorder, {
      type: "limiter_wait_ended",
      kind: kindIn(line.key),
      limit: line.limit,
      admitted,
      ...(!admitted && { reason: verdict.rejection.reason }),
      waitedMs,
      queued: this.#queued,
    });
  }

  /** A question that was ready to wait is refused. */
  refused(reason: Reason): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  stats(queues: number): LimiterStats {
    return {
      queued: this.#queued,
      queues,
      admittedAfterWait: this.#admitted,
      refusedByReason: Object.fromEntries(this.#refused),
    };
  }
}

function kindIn(key: string): string {
  return key.slice(0, key.indexOf(":"));
}
