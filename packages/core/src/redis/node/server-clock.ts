import type { Clock } from "../../clock/clock";
import type { Milliseconds } from "../../limit/limit";

/** Samples that are kept; the one with the shortest round trip is believed. */
const SAMPLES = 16;

/** After this a sample is too old to be believed for its round trip: clocks drift apart. */
const SAMPLE_MAX_AGE_MS = 30_000;

interface Sample {
  readonly offsetMs: number;
  readonly roundTripMs: Milliseconds;
  readonly receivedMs: Milliseconds;
}

/**
 * What the clock of one node shows, estimated from its replies, so that a call can carry a deadline
 * in the time of the server. Never throws.
 *
 * @remarks As NTP does it (RFC 5905, minimum filter): the server read its clock somewhere between
 * sending and receiving, so half the round trip is the most that an estimate is wrong by, and the
 * shortest of the last 16 round trips makes the best one. With NTP's 500 ppm two clocks part by 15
 * ms in the 30 s after which a sample counts only where there is no younger one.
 */
export class ServerClock {
  readonly #clock: Clock;
  readonly #samples: Sample[] = [];
  #best: Sample | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a reply in: when the call was sent and answered here, and the server's "now" in it. */
  observe(sentMs: Milliseconds, receivedMs: Milliseconds, serverNowMs: Milliseconds): void {
    const offsetMs = serverNowMs - (sentMs + receivedMs) / 2;
    const sample = { offsetMs, roundTripMs: receivedMs - sentMs, receivedMs };
    if (this.#samples.length === SAMPLES) this.#samples.shift();
    this.#samples.push(sample);
    this.#best = bestOf(this.#samples, receivedMs - SAMPLE_MAX_AGE_MS);
  }

  /** Forgets everything: behind a new connection may be another server, or it said LATE. */
  dropped(): void {
    this.#samples.length = 0;
    this.#best = undefined;
  }

  /** The most that the estimate is wrong by, in milliseconds; undefined while there is none. */
  get errorMs(): number | undefined {
    // The instants are whole milliseconds, cut down on both sides.
    return this.#best === undefined ? undefined : this.#best.roundTripMs / 2 + 1;
  }

  /**
   * The instant in server time at which `budgetMs` from now is over: integer milliseconds, or 0 (no
   * deadline) while nothing is known of the server's clock.
   */
  deadlineFor(budgetMs: Milliseconds): Milliseconds {
    if (this.#best === undefined) return 0;
    return Math.max(1, Math.ceil(this.#clock.nowMs() + this.#best.offsetMs + budgetMs));
  }
}

/** The shortest round trip among the samples received since, or the newest sample. */
function bestOf(samples: readonly Sample[], sinceMs: Milliseconds): Sample | undefined {
  let best = samples.at(-1);
  for (const sample of samples) {
    if (sample.receivedMs < sinceMs || best === undefined) continue;
    // Of equal ones the younger.
    if (sample.roundTripMs <= best.roundTripMs) best = sample;
  }
  return best;
}
