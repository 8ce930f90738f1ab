import type { CheckReply } from "../../engine/reply";

/** In the place of a wait: no wait helps; or it depends on others. Others are milliseconds. */
const PASSES = 0;

/** In the place of `chargedAt`: nothing was charged. */
const NOTHING_CHARGED = -1;

/** Reads the reply of a script from left to right: whole numbers, the first the server's "now". */
export class ReplyReader {
  readonly serverNowMs: number;
  readonly #numbers: readonly unknown[];
  #place = 0;

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

  checks(count: number): CheckReply[] {
    const checks = new Array<CheckReply>(count);
    for (let index = 0; index < count; index += 1) checks[index] = this.#check();
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
