import type { Clock } from "../../clock/clock";
import type { Verdict } from "../../verdict/verdict";
import type { LimiterPermit } from "../permit";
import type { Question } from "../question";
import type { ReadQuestion } from "../read-question";
import { blockedBy } from "./blocked";
import type { LimitWaiter } from "./limit-waiter";
import { Watches } from "./watches";

type LimiterVerdict = Verdict<LimiterPermit>;

/** Asks the store once; answers at once if the store does. Never rejects. */
export type Ask = (
  question: Question,
  read: ReadQuestion,
) => LimiterVerdict | Promise<LimiterVerdict>;

/** Asks for those who wait, and knows when an answer has come too late to be trusted. */
export class Asker {
  readonly #watches = new Watches();
  readonly #clock: Clock;
  readonly #ask: Ask;

  constructor(clock: Clock, ask: Ask) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Whether anybody of those who may wait is at the store now. */
  get isAsking(): boolean {
    return !this.#watches.isEmpty;
  }

  /** Notes that something of a descriptor was given back. */
  note(key: string): void {
    this.#watches.note(key);
  }

  /**
   * Asks for one that waits, and once more if something was given back while a refusal was under
   * way. `onAnswer` is called in the very turn in which the watch ends: whatever is given back
   * after that finds the waiter as `onAnswer` left it.
   */
  ask<T>(waiter: LimitWaiter, onAnswer: (verdict: LimiterVerdict) => T): T | Promise<T> {
    return this.askFirst(waiter, (verdict, isStale) => {
      const isOver = waiter.isSettled || waiter.leftMs(this.#clock.nowMs()) <= 0;
      return isStale && !isOver ? this.ask(waiter, onAnswer) : onAnswer(verdict);
    });
  }

  /**
   * Asks for a newcomer. `isStale`: it was refused, and something was given back meanwhile. It is
   * not asked for again here, because who asked after it could then be before it.
   */
  askFirst<T>(
    waiter: LimitWaiter,
    onAnswer: (verdict: LimiterVerdict, isStale: boolean) => T | Promise<T>,
  ): T | Promise<T> {
    const { question, read } = waiter;
    const { watch, end } = this.#watches.start(read.targets);
    const asked = this.#ask(question, read);
    if (!(asked instanceof Promise)) {
      end();
      return onAnswer(asked, false);
    }
    waiter.isAsked = true;
    return asked.then((verdict) => {
      end();
      waiter.isAsked = false;
      const isRefused = !verdict.admitted && blockedBy(verdict) !== undefined;
      return onAnswer(verdict, isRefused && watch.isStale);
    });
  }
}
