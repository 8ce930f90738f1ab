import type { LimitsTarget } from "../../engine/command";
import type { CheckReply } from "../../engine/reply";
import { checkCount } from "./check-count";

/** In the place of a wait: no wait helps; or it depends on others. Others are milliseconds. */
const PASSES = 0;

/** In the place of `chargedAt`: nothing was charged. */
const NOTHING_CHARGED = -1;

/** Reads the reply of a script from left to right: whole numbers, the first the server's "now". */
export class ReplyReader {
  readonly serverNowMs: number;
  readonly #numbers: readonly unknown[];
  #place = 0;
  /**
   * The last answer that was read, how often it was told again, and how often it is still to be.
   */
  #told: unknown;
  #toldAgain = 0;
  #toBeTold = 0;

  /** @throws TypeError for a reply that no script of ours made. */
  constructor(reply: unknown) {
    if (!Array.isArray(reply)) throw new TypeError(`expected a list, received ${typeof reply}`);
    this.#numbers = reply;
    this.serverNowMs = this.number();
  }

  /** @throws TypeError where there is none. */
  number(): number {
    const item = this.#numbers[this.#place];
    const number = typeof item === "number" ? item : numberIn(item);
    if (!Number.isSafeInteger(number)) {
      const found = item === "" ? "an empty text" : String(item);
      throw new TypeError(`expected a number in place ${this.#place}, received ${found}`);
    }
    this.#place += 1;
    return number;
  }

  /**
   * The next answer: `read` from its status on, or, where a number below 0 says so, made `again` of
   * the answer before and of how often that was told since.
   *
   * @throws TypeError where there is none.
   */
  answer<A>(read: (status: number) => A, again: (told: A, times: number) => A): A {
    if (this.#toBeTold === 0) {
      const status = this.number();
      if (status >= 0) {
        const told = read(status);
        this.#told = told;
        this.#toldAgain = 0;
        return told;
      }
      if (this.#told === undefined) throw new TypeError("expected an answer before it is repeated");
      this.#toBeTold = -status;
    }
    this.#toBeTold -= 1;
    this.#toldAgain += 1;
    return again(this.#told as A, this.#toldAgain);
  }

  /** The checks of a question. */
  checks(targets: readonly LimitsTarget[]): CheckReply[] {
    const checks = new Array<CheckReply>(checkCount(targets));
    let check = 0;
    for (let index = 0; index < targets.length; index += 1) {
      const { limits } = targets[index] as LimitsTarget;
      for (let place = 0; place < limits.length; place += 1) {
        const reply = this.#check();
        const isOfPool = limits[place]?.kind === "pool-unit";
        checks[check] = isOfPool ? { ...reply, classUsed: this.number() } : reply;
        check += 1;
      }
    }
    return checks;
  }

  #check(): CheckReply {
    const waitMs = this.number();
    const used = this.number();
    const resetAfterMs = this.number();
    const chargedAt = this.number();
    return {
      passes: waitMs === PASSES,
      used,
      resetAfterMs,
      retryAfterMs: waitMs > PASSES ? waitMs : undefined,
      chargedAt: chargedAt === NOTHING_CHARGED ? undefined : chargedAt,
      serial: this.number(),
    };
  }
}

/** A client can be set to return numbers as texts, bytes or bigints; nothing else is one. */
function numberIn(item: unknown): number {
  const isNothing = item === null || item === undefined || item === "";
  return isNothing || typeof item === "boolean" || Array.isArray(item) ? Number.NaN : Number(item);
}
