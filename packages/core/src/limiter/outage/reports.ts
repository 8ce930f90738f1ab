import type { Clock } from "../../clock/clock";
import type { Correction, SettleTarget } from "../../engine/command";
import { StoreError } from "../../error/store-error";
import { type Recorder, record } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import type { Store } from "../../store/store";
import type { Account, Unreported } from "./account";
import type { Errand } from "./errands";
import { keyText, type LastTold } from "./last-told";
import type { Ledger } from "./ledger";
import type { LocalLimits } from "./local-limits";
import { ReportMarks } from "./report-marks";
import type { StoreTime } from "./store-time";

/** Descriptors in one report: as many as in a question, so that no call takes longer. */
const TARGETS_MAX = 16;

/**
 * How long a report may be repeated whose fate is unknown: the store keeps a record of each for as
 * long, so this bounds how many of them a descriptor has. Reports are made only when the store was
 * seen to answer, so it takes two failures in a row to get there.
 */
const REPEATED_FOR_MS = 600_000;

/** How long the store remembers a report beyond its last repetition, which may be under way. */
const REMEMBERED_LONGER_MS = 60_000;

/** What is reported of one descriptor. */
interface Part {
  readonly account: Account;
  readonly corrections: readonly TimedCorrection[];
}

/** A correction, and until when the window to which it belongs matters. */
interface TimedCorrection {
  readonly correction: Correction;
  readonly units: number;
  readonly untilMs: Milliseconds;
}

/** What reports need. */
export interface ReportsContext {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly limits: LocalLimits;
  readonly told: LastTold;
  readonly storeTime: StoreTime;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly nextSerial: () => number;
}

/**
 * Reports to the store what this process admitted by itself, as debt in the current windows. Each
 * report has an operation id under which the store applies it once, however often it arrives.
 */
export class Reports {
  readonly #context: ReportsContext;
  readonly #marks: ReportMarks;
  #descriptors = 0;
  #units: Record<string, number> = {};

  constructor(context: ReportsContext) {
    this.#context = context;
    this.#marks = new ReportMarks(context.told, context.storeTime);
  }

  /** The next report; `undefined` if there is nothing to report. */
  next(): Errand | undefined {
    const { ledger } = this.#context;
    while (ledger.hasUnreported) {
      const errand = this.#reportOf(ledger.takeUnreported(TARGETS_MAX));
      if (errand !== undefined) return errand;
    }
    return undefined;
  }

  /** Tells that everything has been reported, if anything was. */
  tell(): void {
    if (this.#descriptors === 0) return;
    const event = { descriptors: this.#descriptors, units: this.#units };
    this.#descriptors = 0;
    this.#units = {};
    record(this.#context.recorder, { type: "local_use_reported", ...event });
  }

  #reportOf(accounts: readonly Account[]): Errand | undefined {
    const { clock, limits, nextSerial } = this.#context;
    const nowMs = clock.nowMs();
    const serial = nextSerial();
    const parts: Part[] = [];
    for (const account of accounts) {
      const unreported = account.takeUnreported(limits, nowMs);
      if (unreported.length === 0) continue;
      const corrections: TimedCorrection[] = [];
      for (const each of unreported) {
        const correction = this.#correctionOf(account, each, serial, nowMs);
        if (correction === undefined) continue;
        corrections.push({ correction, units: each.units, untilMs: nowMs + each.lastsMs });
      }
      if (corrections.length > 0) parts.push({ account, corrections });
      else account.endReport(nowMs);
    }
    return parts.length === 0 ? undefined : this.#errand(parts, serial, nowMs);
  }

  #errand(parts: readonly Part[], serial: number, madeMs: Milliseconds): Errand {
    const { store, clock, random } = this.#context;
    const operationId = random.id();
    const ends = parts.flatMap(({ corrections }) => corrections.map(({ untilMs }) => untilMs));
    const untilMs = Math.min(Math.max(...ends), madeMs + REPEATED_FOR_MS);
    const once = { operationId, serial, onceForMs: untilMs - madeMs + REMEMBERED_LONGER_MS };
    let mayHaveArrived = false;
    let isReturned = false;
    return {
      operation: "settle",
      isOver: (nowMs) => isReturned || nowMs >= untilMs,
      run: async () => {
        const targets = targetsOf(parts, clock.nowMs());
        try {
          await store.settle({ type: "settle", ...once, targets });
        } catch (error) {
          mayHaveArrived ||= !(error instanceof StoreError && error.isRetryable);
          if (!mayHaveArrived) {
            isReturned = true;
            for (const { account } of parts) this.#takeBack(account);
          }
          throw error;
        }
        this.#count(parts);
        for (const { account } of parts) account.endReport(clock.nowMs());
      },
      giveUp: () => {
        const nowMs = clock.nowMs();
        for (const { account } of parts) account.endReport(nowMs);
        if (!isReturned) this.#dropped(parts, nowMs);
      },
    };
  }

  /** Nobody knows whether a report has arrived. What it told of may matter still. */
  #dropped(parts: readonly Part[], nowMs: Milliseconds): void {
    for (const { account, corrections } of parts) {
      if (corrections.every(({ untilMs }) => untilMs <= nowMs)) continue;
      record(this.#context.recorder, { type: "local_use_dropped", key: keyText(account) });
    }
  }

  /** A report has surely not arrived: its use goes with the next one, and it opened no window. */
  #takeBack(account: Account): void {
    this.#marks.forget(account);
    this.#context.ledger.returnUnreported(account);
  }

  #count(parts: readonly Part[]): void {
    this.#descriptors += parts.length;
    for (const { corrections } of parts) {
      for (const { correction, units } of corrections) {
        const { unit } = correction.limit;
        this.#units[unit] = (this.#units[unit] ?? 0) + units;
      }
    }
  }

  /**
   * Debt, or a refund of what was reported before. A refund may go only into the window that was
   * charged: where that cannot be told, it is dropped.
   */
  #correctionOf(
    account: Account,
    { limit, units, lastsMs }: Unreported,
    serial: number,
    nowMs: Milliseconds,
  ): Correction | undefined {
    const mark = this.#marks.find(account, limit, nowMs);
    if (units < 0) {
      if (mark === undefined) return undefined;
      const { chargedAt } = mark;
      return { limit, charged: -units, actual: 0, chargedAt, serial: mark.serial };
    }
    if (mark === undefined) this.#marks.set(account, limit, serial, { nowMs, lastsMs });
    return { limit, charged: 0, actual: units, chargedAt: undefined, serial: 0 };
  }
}

/** What still matters of a report. Its repetitions are the same operation all the same. */
function targetsOf(parts: readonly Part[], nowMs: Milliseconds): SettleTarget[] {
  return parts.flatMap(({ account: { kind, id }, corrections }) => {
    const current = corrections.filter(({ untilMs }) => untilMs > nowMs);
    if (current.length === 0) return [];
    return [{ kind, id, corrections: current.map(({ correction }) => correction) }];
  });
}
