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

  /** Asks, and once more if something was given back while a refusal was under way. */
  ask(waiter: LimitWaiter): LimiterVerdict | Promise<LimiterVerdict> {
    const { question, read } = waiter;
    const { watch, end } = this.#watches.start(read.targets);
    const asked = this.#ask(question, read);
    if (!(asked instanceof Promise)) {
      end();
      return asked;
    }
    waiter.isAsked = true;
    return asked.then((verdict) => {
      end();
      waiter.isAsked = false;
      if (verdict.admitted || !watch.isStale || blockedBy(verdict) === undefined) return verdict;
      const isOver = waiter.isSettled || waiter.leftMs(this.#clock.nowMs()) <= 0;
      return isOver ? verdict : this.ask(waiter);
    });
  }
}
