import type { Milliseconds } from "../../limit/limit";
import type { AlgorithmSample } from "../limit-algorithm";
import { LatencyMoments } from "./latency-moments";

const WINDOW_MS = 1000;
/** From this part of the limit on, a request that starts tells what the limit does to latency. */
const NEAR_SHARE = 0.8;

/** What was seen in one window: latencies, and who was dropped. */
export class ContrastWindow {
  readonly all = new LatencyMoments();
  /** Those of `all` that started near the limit. */
  readonly near = new LatencyMoments();
  #startMs: Milliseconds | undefined;
  #full = false;
  #dropped = 0;
  /** The most in flight with which a request ended well, and the fewest with which one did not. */
  #mostServed = 0;
  #fewestDropped = Number.POSITIVE_INFINITY;
  /** Drops of requests that started before this were answered by a lower limit already. */
  #lossesFromMs = Number.NEGATIVE_INFINITY;

  add({ nowMs, latencyMs, inFlight, dropped, full }: AlgorithmSample, limit: number): void {
    this.#startMs ??= nowMs - latencyMs;
    if (full) this.#full = true;
    if (dropped) {
      if (nowMs - latencyMs < this.#lossesFromMs) return;
      this.#dropped += 1;
      this.#fewestDropped = Math.min(this.#fewestDropped, inFlight);
      return;
    }
    this.#mostServed = Math.max(this.#mostServed, inFlight);
    this.all.add(latencyMs, inFlight, nowMs);
    if (inFlight >= NEAR_SHARE * limit) this.near.add(latencyMs, inFlight, nowMs);
  }

  get count(): number {
    return this.all.count + this.#dropped;
  }

  /** The part of the requests that was dropped. */
  get lossShare(): number {
    return this.#dropped === 0 ? 0 : this.#dropped / this.count;
  }

  get hasServed(): boolean {
    return this.all.count > 0;
  }

  /** Whether there was demand for more than `limit`. */
  hasDemand(limit: number): boolean {
    return this.#full || this.#mostServed >= Math.round(limit);
  }

  /** The most in flight that was served, if everything above it was dropped. */
  get servedUpTo(): number | undefined {
    return this.hasServed && this.#fewestDropped > this.#mostServed ? this.#mostServed : undefined;
  }

  /** Whether so many were dropped that the end of the window need not be awaited. */
  isOutage(limit: number): boolean {
    return this.#dropped >= Math.max(2, limit / 2) && this.lossShare > 0.5;
  }

  ageMs(nowMs: Milliseconds): Milliseconds {
    return nowMs - (this.#startMs ?? nowMs);
  }

  /**
   * Whether it has lasted long enough: a second and `latencies` mean latencies with twice as many
   * samples as the limit (5 to 20), or 5 s with 5, or 30 s with whatever there is.
   */
  isOver(nowMs: Milliseconds, limit: number, latencies: number): boolean {
    const ageMs = this.ageMs(nowMs);
    if (ageMs < Math.max(WINDOW_MS, latencies * this.all.meanMs)) return false;
    return (
      this.count >= Math.min(20, Math.max(5, 2 * limit)) ||
      (ageMs >= 5 * WINDOW_MS && this.count >= 5) ||
      ageMs >= 30 * WINDOW_MS
    );
  }

  /** Starts the next one. */
  restart(nowMs: Milliseconds): void {
    this.#startMs = nowMs;
    this.#full = false;
    this.#dropped = 0;
    this.#mostServed = 0;
    this.#fewestDropped = Number.POSITIVE_INFINITY;
    this.all.clear();
    this.near.clear();
  }

  /** Lets drops count from here on only. */
  forgiveLosses(nowMs: Milliseconds): void {
    this.#lossesFromMs = nowMs;
  }
}
