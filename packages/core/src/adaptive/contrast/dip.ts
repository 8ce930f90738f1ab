import type { Milliseconds } from "../../limit/limit";
import type { AlgorithmSample } from "../limit-algorithm";
import { LatencyMoments } from "./latency-moments";
import type { Spread } from "./spread";
import type { SeenNear } from "./trusted-queue";

/**
 * The part of the limit that a dip leaves. Where a queue of 0.4 of the service time stands, that is
 * the limit is 1.4 to 1.6 times the capacity, 0.55 of it keeps 0.8 of the capacity busy.
 */
export const DIP_SHARE = 0.55;

/**
 * Below this the dip has found a queue too. Latency per request in flight is the same there as at
 * the limit (a ratio of 1) if both are queues, and higher (1.8) if the latency has not changed.
 */
const QUEUE_RATIO = 1.09;

/** It does not wait for more to start: requests are refused meanwhile. */
const STARTS_MAX = 100;

/** What a dip has found. */
export interface DipFinding {
  /** Requests that started in the dip. */
  readonly low: LatencyMoments;
  /** What was seen near the limit before it. */
  readonly near: SeenNear;
  /**
   * `none`: the dip was below the capacity; `queue`: it was above, so that it cost nothing;
   * `unclear`: chance may have made either of the other.
   */
  readonly queue: "none" | "queue" | "unclear";
  readonly lengthMs: Milliseconds;
}

/**
 * A dip: for a moment the limit is taken down, and what starts meanwhile tells the latency at the
 * lower number. As soon as enough has started the limit is back; the finding follows when nearly
 * all of that has ended. Judging earlier would count the short ones only.
 */
export class Dip {
  #phase: "none" | "down" | "waiting" = "none";
  #fromMs: Milliseconds = 0;
  #toMs: Milliseconds = 0;
  #findAtMs: Milliseconds = 0;
  #horizonMs: Milliseconds = 0;
  /** Latency at the limit per request in flight there. */
  #slotMs: Milliseconds = 0;
  #nearCount = 0;
  readonly #low = new LatencyMoments();

  get isDown(): boolean {
    return this.#phase === "down";
  }

  get isUnderWay(): boolean {
    return this.#phase !== "none";
  }

  /** Starts one; `near` are samples from near the limit, at least one. */
  start(nowMs: Milliseconds, near: LatencyMoments, spread: Spread): void {
    const meanMs = Math.max(near.meanMs, 1);
    this.#phase = "down";
    this.#fromMs = nowMs;
    this.#slotMs = meanMs / near.meanInFlight;
    this.#nearCount = near.count;
    // Until the surplus has ended nothing starts; then requests start at the pace of the ends.
    const starts = Math.min(STARTS_MAX, spread.samplesNeeded);
    this.#toMs = nowMs + (1 - DIP_SHARE) * meanMs + starts * this.#slotMs;
    this.#horizonMs = meanMs * (1 + 3 * spread.deviation);
    this.#low.clear();
  }

  /** Takes a sample that started low. Whether it belongs to the dip. */
  takes({ nowMs, latencyMs, inFlight }: AlgorithmSample): boolean {
    if (this.#phase === "none") return false;
    const startMs = nowMs - latencyMs;
    if (startMs >= this.#fromMs && (this.isDown || startMs <= this.#toMs)) {
      this.#low.add(latencyMs, inFlight, nowMs);
    }
    return true;
  }

  /** Whether the limit has come back by this. */
  comesUp(nowMs: Milliseconds): boolean {
    if (!this.isDown || nowMs < this.#toMs) return false;
    this.#phase = "waiting";
    this.#toMs = nowMs;
    this.#findAtMs = nowMs + this.#horizonMs;
    return true;
  }

  /** The finding, once, when it is due. */
  finding(nowMs: Milliseconds, spread: Spread): DipFinding | undefined {
    if (this.#phase !== "waiting" || nowMs < this.#findAtMs) return undefined;
    this.#phase = "none";
    const lengthMs = this.#toMs - this.#fromMs;
    const near = { slotMs: this.#slotMs, count: this.#nearCount };
    return { low: this.#low, near, queue: this.#judge(spread), lengthMs };
  }

  #judge(spread: Spread): DipFinding["queue"] {
    const { count, meanMs, meanInFlight } = this.#low;
    if (count < 3) return "none";
    const ratio = meanMs / meanInFlight / this.#slotMs;
    if (ratio < QUEUE_RATIO) return "queue";
    return ratio < QUEUE_RATIO + 1.5 * spread.errorOf(count) ? "unclear" : "none";
  }

  abandon(): void {
    this.#phase = "none";
  }
}
