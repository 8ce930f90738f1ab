import type { Milliseconds } from "../../limit/limit";
import type { LatencyMoments } from "./latency-moments";
import type { Spread } from "./spread";

/** Latencies are whole milliseconds: a difference of this size is no queue. */
export const CLOCK_MS = 1;
/** Up to this ratio of latencies there is no queue worth the name. */
const CLEAN_RATIO = 1.2;
/** Samples that the estimate weighs at most; then it forgets the oldest. */
const MEMORY = 200;
/** Fewer say nothing. */
const SAMPLES_MIN = 3;
/** A difference of ln 1.22 is a new latency, not a better estimate of the old one. */
const CHANGE_MIN = 0.2;
/** Samples before what is usual is known. */
const USUAL_MIN = 20;
/** In this time what is usual rises to e-th of the way (in logarithms) to what is now. */
const USUAL_RISE_MS = 1_800_000;
/** What is slower than usual by more than this is somebody's overload and not a new normal. */
const SLOW_FACTOR = 8;
const SLOW_MARGIN_MS = 100;

/** How a mean was come by. */
interface Evidence {
  readonly nowMs: Milliseconds;
  readonly spread: Spread;
  /** Whether it was measured on purpose, so that it counts at least as much as what was known. */
  readonly measured: boolean;
}

/**
 * The latency without a queue: the mean of requests that started while few others were in flight.
 * It is replaced when evidence contradicts it by more than chance explains, up and down alike, and
 * refined otherwise. Nothing is kept because it was once the least.
 */
export class UnqueuedLatency {
  #ms: Milliseconds | undefined;
  #weight = 0;
  #seen = 0;
  #usualMs: Milliseconds | undefined;
  #usualAtMs: Milliseconds = 0;
  /** When it was last confirmed or replaced. */
  confirmedAtMs: Milliseconds = Number.NEGATIVE_INFINITY;

  /** `undefined` until something is known. */
  get ms(): Milliseconds | undefined {
    return this.#ms;
  }

  /** Sets the first estimate, which later evidence outweighs soon. */
  begin(ms: Milliseconds, nowMs: Milliseconds): void {
    this.#ms = ms;
    this.#weight = 12;
    this.confirmedAtMs = nowMs;
  }

  learn(low: LatencyMoments, { nowMs, spread, measured }: Evidence): void {
    const count = low.count;
    if (count < SAMPLES_MIN) return;
    const known = this.#ms;
    const enough = measured || count >= spread.samplesNeeded;
    if (known === undefined || (enough && contradicts(low.meanMs, known, spread.errorOf(count)))) {
      this.#ms = low.meanMs;
      this.#weight = count;
    } else {
      const share = Math.max(measured ? 0.5 : 0, count / (count + this.#weight));
      this.#ms = known + share * (low.meanMs - known);
      this.#weight = Math.min(MEMORY, this.#weight + count);
    }
    this.confirmedAtMs = nowMs;
    this.#seen += count;
    this.#learnUsual(nowMs);
  }

  #learnUsual(nowMs: Milliseconds): void {
    const ms = this.#ms;
    if (ms === undefined || this.#seen < USUAL_MIN) return;
    const usual = this.#usualMs;
    if (usual === undefined || usual <= 0) this.#usualMs = ms;
    else if (ms < usual) this.#usualMs = usual + 0.3 * (ms - usual);
    else {
      const share = Math.min(1, (nowMs - this.#usualAtMs) / USUAL_RISE_MS);
      this.#usualMs = usual * (ms / usual) ** share;
    }
    this.#usualAtMs = nowMs;
  }

  /** How much of an ordinary queue is tolerated now: 1, less when it is slower than usual. */
  get tolerance(): number {
    const ms = this.#ms;
    if (ms === undefined || this.#usualMs === undefined || ms <= this.#usualMs) return 1;
    return Math.sqrt(this.#usualMs / ms);
  }

  /** It, divided by a mean latency; both count as a step of the clock at least. */
  ratioTo({ meanMs }: Pick<LatencyMoments, "meanMs">): number {
    return Math.max(CLOCK_MS, this.#ms ?? 0) / Math.max(CLOCK_MS, meanMs);
  }

  /** Whether nothing waited among these samples, as far as so many of them can tell. */
  isSeenIn({ meanMs, count }: Pick<LatencyMoments, "meanMs" | "count">, spread: Spread): boolean {
    const lenience = Math.min(0.3, spread.errorOf(count));
    return meanMs <= (CLEAN_RATIO + lenience) * (this.#ms ?? 0) + CLOCK_MS;
  }

  /** How many of those in flight were served and did not wait. */
  busyOf({ meanMs, meanInFlight }: Pick<LatencyMoments, "meanMs" | "meanInFlight">): number {
    return meanInFlight * Math.min(1, ((this.#ms ?? 0) + CLOCK_MS) / (meanMs + CLOCK_MS));
  }

  /** Whether it is so much slower than usual that growing would be wrong. */
  get isFarFromUsual(): boolean {
    if (this.#ms === undefined || this.#usualMs === undefined) return false;
    return this.#ms > SLOW_FACTOR * this.#usualMs + SLOW_MARGIN_MS;
  }
}

function contradicts(ms: Milliseconds, known: Milliseconds, error: number): boolean {
  // One more millisecond on both sides: the difference of 0 and 1 is the clock's.
  return Math.abs(Math.log((ms + 1) / (known + 1))) > Math.max(CHANGE_MIN, 3 * error);
}
