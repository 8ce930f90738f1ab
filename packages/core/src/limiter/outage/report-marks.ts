import { chargeName } from "../../engine/operation-records";
import type { CheckLimit, Milliseconds } from "../../limit/limit";
import type { Account } from "./account";
import type { LastTold } from "./last-told";
import type { StoreTime } from "./store-time";

/** By what a refund finds the window into which use was reported. */
interface Mark {
  readonly serial: number;
  readonly chargedAt: number;
  readonly untilMs: Milliseconds;
}

/**
 * Remembers which windows reports have charged, so that a refund can follow. Only for fixed
 * windows and pools, whose units have one window: in other kinds a refund has to name the very
 * instant or slice, which a report does not learn.
 */
export class ReportMarks {
  readonly #told: LastTold;
  readonly #storeTime: StoreTime;
  readonly #marks = new WeakMap<Account, Map<string, Mark>>();

  constructor(told: LastTold, storeTime: StoreTime) {
    this.#told = told;
    this.#storeTime = storeTime;
  }

  /** The mark of a window that is still open. */
  find(account: Account, limit: CheckLimit, nowMs: Milliseconds): Mark | undefined {
    const mark = this.#marks.get(account)?.get(limit.name);
    return mark === undefined || mark.untilMs <= nowMs ? undefined : mark;
  }

  /**
   * Remembers the window that a report is about to charge: the one that the store told of, if it is
   * still open, else the one that the report opens under its serial.
   */
  set(
    account: Account,
    limit: CheckLimit,
    serial: number,
    at: { readonly nowMs: Milliseconds; readonly lastsMs: Milliseconds },
  ): void {
    if (limit.kind !== "fixed-window" && limit.kind !== "pool-unit") return;
    const { nowMs, lastsMs } = at;
    const told = this.#told.find(account, chargeName(limit));
    const marks = this.#marks.get(account) ?? new Map<string, Mark>();
    this.#marks.set(account, marks);
    const openUntilMs = told === undefined ? 0 : told.atMs + told.resetAfterMs;
    if (told !== undefined && openUntilMs > nowMs) {
      const { chargedAt, serial: open } = told;
      if (chargedAt < 0) return;
      marks.set(limit.name, { serial: open, chargedAt, untilMs: openUntilMs });
      return;
    }
    // A window is found by its serial; the instant has only to lie after its beginning.
    const chargedAt = this.#storeTime.toStore(nowMs + limit.windowMs);
    marks.set(limit.name, { serial, chargedAt, untilMs: nowMs + lastsMs });
  }

  forget(account: Account): void {
    this.#marks.delete(account);
  }
}
