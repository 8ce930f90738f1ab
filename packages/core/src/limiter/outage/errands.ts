import type { CancelTimer, Clock } from "../../clock/clock";
import { type Recorder, record } from "../../event/recorder";
import type { Milliseconds } from "../../limit/limit";

/** Something to be sent to the store, again and again until it is acknowledged or too late. */
export interface Errand {
  /** The command that it sends, for events. */
  readonly operation: string;
  /** Whether it is not to be sent any more. */
  isOver(nowMs: Milliseconds): boolean;
  /** Sends it once; rejects if that failed. */
  run(): Promise<void>;
  /** Called instead of `run` when it is over. */
  giveUp(): void;
}

/** Where errands come from besides those that failed before. */
export interface ErrandSource {
  readonly hasErrand: boolean;
  /** The next one, which from then on is kept until it ends; `undefined` if there is none. */
  nextErrand(): Errand | undefined;
  /**
   * Asks the store something that charges nothing, so that nothing is sent whose fate would be
   * unknown. Rejects if the store does not answer.
   */
  probe(): Promise<void>;
  /** Called when nothing is left. */
  allDone(): void;
}

/** A round begins when the store answers, and in any case after this time. */
const PAUSE_MS = 1000;

/** After a round that failed, answers of the store begin another one not before this time. */
const PAUSE_AFTER_FAILURE_MS = 100;

/** A round ends after so many failures in a row: the store is away again. */
const FAILURES_MAX = 3;

/** Errands under way at most; more are made when some of these have ended. */
const UNDER_WAY_MAX = 1000;

/**
 * Runs errands one after the other: when the store is seen to answer, and once a second while there
 * are any. Those that fail wait for the next round.
 */
export class Errands {
  readonly #clock: Clock;
  readonly #recorder: Recorder | undefined;
  readonly #source: ErrandSource;
  #failed: Errand[] = [];
  #round: Promise<void> | undefined;
  #restUntilMs = 0;
  #cancel: CancelTimer | undefined;
  #isStopped = false;

  constructor(clock: Clock, recorder: Recorder | undefined, source: ErrandSource) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#source = source;
  }

  /** Adds an errand to those that wait for the next round; too many are given up. */
  add(errand: Errand): void {
    if (this.#failed.length >= UNDER_WAY_MAX) errand.giveUp();
    else this.#failed.push(errand);
    this.expect();
  }

  /** Makes sure that a round comes, if there is anything to do. */
  expect(): void {
    if (this.#cancel !== undefined || this.#isStopped || !this.#hasWork) return;
    this.#cancel = this.#clock.after(PAUSE_MS, () => {
      this.#cancel = undefined;
      void this.run();
    });
  }

  /** Takes notice that the store answers. */
  storeAnswered(): void {
    if (!this.#hasWork || this.#clock.nowMs() < this.#restUntilMs) return;
    void this.#begin(true);
  }

  /** Runs what there is, and resolves when nothing is left or the store fails. Never rejects. */
  run(): Promise<void> {
    return this.#begin(false);
  }

  /** Begins no round by itself any more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  get #hasWork(): boolean {
    return this.#failed.length > 0 || this.#source.hasErrand;
  }

  #begin(hasAnswered: boolean): Promise<void> {
    this.#round ??= this.#runRound(hasAnswered).finally(() => {
      this.#round = undefined;
      this.expect();
    });
    return this.#round;
  }

  async #runRound(hasAnswered: boolean): Promise<void> {
    let failures = hasAnswered || !this.#hasWork || (await this.#probe()) ? 0 : FAILURES_MAX;
    const waiting = this.#failed;
    this.#failed = [];
    while (failures < FAILURES_MAX) {
      const errand = waiting.shift() ?? this.#nextErrand();
      if (errand === undefined) break;
      failures = (await this.#attempt(errand)) ? 0 : failures + 1;
    }
    this.#failed = [...waiting, ...this.#failed];
    const pauseMs = failures === 0 ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS;
    this.#restUntilMs = this.#clock.nowMs() + pauseMs;
    if (!this.#hasWork) this.#source.allDone();
  }

  /** Whether the store answers. */
  async #probe(): Promise<boolean> {
    try {
      await this.#source.probe();
      return true;
    } catch (error) {
      record(this.#recorder, { type: "store_failed", operation: "peek", error });
      return false;
    }
  }

  #nextErrand(): Errand | undefined {
    return this.#failed.length < UNDER_WAY_MAX ? this.#source.nextErrand() : undefined;
  }

  /** Whether it ended. */
  async #attempt(errand: Errand): Promise<boolean> {
    if (errand.isOver(this.#clock.nowMs())) {
      errand.giveUp();
      return true;
    }
    try {
      await errand.run();
      return true;
    } catch (error) {
      const { operation } = errand;
      record(this.#recorder, { type: "store_failed", operation, error });
      if (!errand.isOver(this.#clock.nowMs())) this.#failed.push(errand);
      return false;
    }
  }
}
