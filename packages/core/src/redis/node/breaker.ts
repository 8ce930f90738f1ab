import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";
import type { Random } from "../../random/random";
import { RecentOutcomes } from "./recent-outcomes";

/** Failures one after the other that open the breaker. */
const FAILURES_TO_OPEN = 5;

/** The first time it stays open; it doubles with each probe that fails. */
const OPEN_FIRST_MS = 250;
const OPEN_MAX_MS = 5000;

/**
 * The part of that time which chance decides, so that the processes of a fleet do not probe at one
 * instant.
 */
const JITTER = 0.25;

/** What a call may do: go (`pass`), go as the one that finds out (`probe`), or not go. */
export type Pass = "pass" | "probe" | "refuse";

/** `half-open` while the one probe is under way. */
export type BreakerState = "closed" | "open" | "half-open";

/**
 * Keeps an outage of one node from costing every call its deadline. Opens after 5 failures without
 * a success between them, or when at least half of at least 20 calls within a second failed; lets
 * one probe through after 250 ms, then after twice that, and so on to 5 s, each shortened by up to
 * a quarter by chance; closes when a probe succeeds. Does no I/O. Never throws.
 *
 * @remarks The circuit breaker of the literature with one difference: what calls report that were
 * sent before it opened changes nothing any more.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recent = new RecentOutcomes();
  #state: BreakerState = "closed";
  #failuresInRow = 0;
  #openForMs = OPEN_FIRST_MS;
  #probeAtMs: Milliseconds = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /**
   * Asks whether a call may go. After `pass` and `probe` its outcome must be told to
   * {@link succeeded} or {@link failed}: until then no other probe goes.
   */
  tryPass(): Pass {
    if (this.#state === "closed") return "pass";
    if (this.#state === "half-open" || this.#clock.nowMs() < this.#probeAtMs) return "refuse";
    this.#state = "half-open";
    return "probe";
  }

  /** The node answered: whatever it said, it is there. */
  succeeded(pass: "pass" | "probe"): void {
    if (pass === "probe") {
      if (this.#state === "half-open") this.#close();
    } else if (this.#state === "closed") {
      this.#failuresInRow = 0;
      this.#recent.add("success", this.#clock.nowMs());
    }
  }

  /** The node did not answer in time, or could not be reached. */
  failed(pass: "pass" | "probe"): void {
    if (pass === "probe") {
      if (this.#state !== "half-open") return;
      this.#openForMs = Math.min(this.#openForMs * 2, OPEN_MAX_MS);
      this.#open();
    } else if (this.#state === "closed") {
      this.#failuresInRow += 1;
      this.#recent.add("failure", this.#clock.nowMs());
      if (this.#failuresInRow >= FAILURES_TO_OPEN || this.#recent.isMostlyFailure()) this.#open();
    }
  }

  /**
   * Lets the next call be the probe at once, and makes the waits short again: there is news, such
   * as a new connection, that the node may be back. Changes nothing while it is closed.
   */
  probeNow(): void {
    this.#probeAtMs = Number.NEGATIVE_INFINITY;
    this.#openForMs = OPEN_FIRST_MS;
  }

  #open(): void {
    this.#state = "open";
    const openForMs = Math.ceil(this.#openForMs * (1 - JITTER * this.#random.next()));
    this.#probeAtMs = this.#clock.nowMs() + openForMs;
  }

  #close(): void {
    this.#state = "closed";
    this.#failuresInRow = 0;
    this.#openForMs = OPEN_FIRST_MS;
    this.#recent.clear();
  }
}
