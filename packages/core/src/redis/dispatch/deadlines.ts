import type { AfterIo } from "../../clock/after-io";
import type { CancelTimer, Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";

/**
 * Deadlines are looked at so often at most: one timer for all calls instead of one per call, which
 * costs more than the call. A deadline is late by at most this.
 */
const TICK_MS = 10;

/**
 * They are looked at so often at least while somebody waits: the timer stays when a call has been
 * answered, and keeps the process alive for no longer than this.
 */
const TICK_MAX_MS = 1000;

/** Answered ones are let go when the queue has twice the length that it had after the last time. */
const KEPT_MIN = 1024;

/** Something that is over at an instant, unless it was answered before. */
export interface Expiring {
  readonly expiresAtMs: Milliseconds;
  readonly isAnswered: boolean;
}

/**
 * Tells what has reached its deadline unanswered. Nearly all deadlines are equally far away when
 * they are added, so that they come in the order in which they are over.
 *
 * What is due is told only after a turn of I/O, and after a stall of the event loop one tick later:
 * the answers lie in the sockets, and the stall was no outage.
 */
export class Deadlines<E extends Expiring> {
  readonly #clock: Clock;
  readonly #afterIo: AfterIo;
  readonly #onExpired: (expired: readonly E[]) => void;
  #queue: E[] = [];
  #first = 0;
  #cancel: CancelTimer | undefined;
  #tickAtMs: Milliseconds = 0;
  /** Whether the tick to come is the one more that a stall is good for. */
  #isExtra = false;
  #keptMax = KEPT_MIN;

  constructor(clock: Clock, afterIo: AfterIo, onExpired: (expired: readonly E[]) => void) {
    this.#clock = clock;
    this.#afterIo = afterIo;
    this.#onExpired = onExpired;
  }

  add(expiring: E): void {
    if (this.#queue.length >= this.#keptMax) this.#dropAnswered();
    let place = this.#queue.push(expiring) - 1;
    while (place > this.#first && this.#isLater(place - 1, expiring)) {
      this.#queue[place] = this.#queue[place - 1] as E;
      place -= 1;
    }
    this.#queue[place] = expiring;
    // Asked first, since reading the clock costs more than all of this.
    if (this.#cancel !== undefined && expiring.expiresAtMs >= this.#tickAtMs) return;
    this.#schedule(expiring.expiresAtMs - this.#clock.nowMs());
  }

  #isLater(place: number, { expiresAtMs }: E): boolean {
    return (this.#queue[place] as E).expiresAtMs > expiresAtMs;
  }

  /** Whatever is added, a tick is never put off. */
  #schedule(leftMs: Milliseconds): void {
    const delayMs = Math.min(Math.max(TICK_MS, leftMs), TICK_MAX_MS);
    const atMs = this.#clock.nowMs() + delayMs;
    if (this.#cancel !== undefined && atMs >= this.#tickAtMs) return;
    this.#cancel?.();
    this.#tickAtMs = atMs;
    // A caller that waits for an answer must get it, whatever else ends.
    this.#cancel = this.#clock.after(delayMs, () => this.#tick(), { keepsProcessAlive: true });
  }

  #tick(): void {
    this.#cancel = undefined;
    const nowMs = this.#clock.nowMs();
    this.#isExtra = !this.#isExtra && nowMs - this.#tickAtMs > TICK_MS;
    if (this.#isExtra) {
      // The loop stood still. A client may not even have written what was asked before that, so
      // there is a tick more for the round trip; only one, since a busy loop is late every time.
      this.#schedule(TICK_MS);
      return;
    }
    const due: E[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (next.expiresAtMs > nowMs) break;
      due.push(next);
      this.#first += 1;
    }
    const next = this.#next();
    if (next === undefined) this.#dropAnswered();
    else this.#schedule(next.expiresAtMs - nowMs);
    if (due.length === 0) return;
    this.#afterIo(() => {
      const expired = due.filter(({ isAnswered }) => !isAnswered);
      if (expired.length > 0) this.#onExpired(expired);
    });
  }

  /** The first that has not been answered; those before it are passed over. */
  #next(): E | undefined {
    while (this.#queue[this.#first]?.isAnswered === true) this.#first += 1;
    return this.#queue[this.#first];
  }

  /** One that waits long must not keep all that were answered since. */
  #dropAnswered(): void {
    this.#queue = this.#queue.slice(this.#first).filter(({ isAnswered }) => !isAnswered);
    this.#first = 0;
    this.#keptMax = Math.max(KEPT_MIN, 2 * this.#queue.length);
  }
}
