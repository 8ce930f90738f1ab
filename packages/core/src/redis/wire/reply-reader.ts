import type { CheckReply } from "../../engine/reply";

/** In the place of a wait: no wait helps; or it depends on others. Others are milliseconds. */
const PASSES = 0;

/** In the place of `chargedAt`: nothing was charged. */
const NOTHING_CHARGED = -1;

/** Reads the reply of a script from left to right: whole numbers, the first the server's "now". */
export class ReplyReader {
  readonly serverNowMs: number;
  readonly #numbers: readonly number[];
  #place = 1;

  /** @throws SyntaxError for a text that no script of ours returned. */
  constructor(text: string) {
    this.#numbers = JSON.parse(`[${text}]`);
    this.serverNowMs = this.#numbers[0] as number;
    if (!Number.isSafeInteger(this.serverNowMs)) throw new SyntaxError("no instant at its start");
  }

  /** @throws SyntaxError where the reply is over. */
  number(): number {
    const number = this.#numbers[this.#place];
    if (number === undefined) throw new SyntaxError(`${this.#place} numbers, and more expected`);
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
