import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { Place } from "../../queue/class-queues";
import type { Verdict } from "../../verdict/verdict";
import type { LimiterPermit } from "../permit";
import type { Asker } from "./asker";
import type { LimitWaiter } from "./limit-waiter";
import type { Line } from "./line";

type LimiterVerdict = Verdict<LimiterPermit>;

/** Who decides what becomes of those who are served. */
export interface Served {
  /** Whether it is still to be asked for. Who is not has left when this returns. */
  isInTime(waiter: LimitWaiter): boolean;
  /** The store has answered: when this returns, it has started, yielded or left. */
  onAnswer(line: Line<LimitWaiter>, place: Place<LimitWaiter>, verdict: LimiterVerdict): void;
  onEmpty(line: Line<LimitWaiter>): void;
}

/**
 * Goes through lines: asks for one head after the other, in the order of turns, until each class
 * has one that does not fit; and again when the first of those may. One question per line is at the
 * store at a time, because two could overtake each other there. With a store that answers at once
 * a whole round is one call, into which nobody can slip.
 */
export class LineService {
  readonly #clock: Clock;
  readonly #asker: Asker;
  readonly #served: Served;

  constructor(clock: Clock, asker: Asker, served: Served) {
    this.#clock = clock;
    this.#asker = asker;
    this.#served = served;
  }

  /** Something may fit now. */
  serve(line: Line<LimitWaiter>): void {
    if (line.isServed) {
      line.isServedAgain = true;
      return;
    }
    line.isServed = true;
    line.dueMs = Number.POSITIVE_INFINITY;
    this.#serveOn(line);
  }

  /** A head of the line is to be asked for at an instant, if not before. */
  serveAt(line: Line<LimitWaiter>, atMs: Milliseconds): void {
    line.dueMs = Math.min(line.dueMs, atMs);
    if (!line.isServed) this.#arm(line);
  }

  #serveOn(line: Line<LimitWaiter>): void {
    for (let place = this.#next(line); place !== undefined; place = this.#next(line)) {
      const asking = place;
      const asked = this.#asker.ask(asking.item, (verdict) => {
        this.#served.onAnswer(line, asking, verdict);
      });
      if (asked instanceof Promise) {
        void asked.then(() => this.#serveOn(line));
        return;
      }
    }
    line.isServed = false;
    this.#arm(line);
  }

  /** Whose turn it is; `undefined` when all heads have yielded since something was given back. */
  #next(line: Line<LimitWaiter>): Place<LimitWaiter> | undefined {
    for (;;) {
      const place = line.queue.next();
      if (place !== undefined) {
        if (this.#served.isInTime(place.item)) return place;
      } else if (line.isServedAgain) {
        line.isServedAgain = false;
        line.dueMs = Number.POSITIVE_INFINITY;
      } else return undefined;
    }
  }

  #arm(line: Line<LimitWaiter>): void {
    line.cancelTimer();
    line.cancelTimer = () => {};
    if (line.queue.length === 0) {
      this.#served.onEmpty(line);
      return;
    }
    const waitMs = Math.max(0, line.dueMs - this.#clock.nowMs());
    line.cancelTimer = this.#clock.after(waitMs, () => this.serve(line));
  }
}
