import type { LimitChangeReason } from "../event/adaptive-event";
import { record } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { DURATION_MAX_MS } from "../limit/limit-options";
import { Problems } from "../options/problems";
import { isIntegerWithin } from "../options/read";
import type { AdaptiveLimit, LimitSample } from "./adaptive-limit";
import type { AdaptiveLimitConfig } from "./adaptive-limit-options";
import { FloorProbe } from "./floor-probe";
import { GrowthBound } from "./growth-bound";
import type { AlgorithmSample } from "./limit-algorithm";
import { type Instability, Stability } from "./stability";

/** Demand is remembered for so long, if growth has not answered it before: a longest window. */
const DEMAND_MS = 30_000;

/**
 * Enforces an estimate: within floor and ceiling, growing only with demand and not faster than
 * allowed, and not at all while it is frozen. What the estimate says beyond that it is told to
 * forget, so that it cannot run away unseen and come down on everybody later.
 */
export class EnforcedLimit implements AdaptiveLimit {
  readonly #config: AdaptiveLimitConfig;
  readonly #growth: GrowthBound;
  readonly #stability: Stability;
  readonly #probe: FloorProbe;
  readonly #listeners = new Set<() => void>();
  /** Used for every sample: a gate has one per request. */
  readonly #sample = { nowMs: 0, latencyMs: 0, inFlight: 1, dropped: false, full: false };
  #limit: number;
  #mode: "follow" | "frozen" | "static" = "follow";
  #full = false;
  #demandAtMs = Number.NEGATIVE_INFINITY;
  #nowMs: Milliseconds;
  /** The limit before the estimate went down to measure: so far it may come back at once. */
  #beforeMeasuring: number | undefined;

  constructor(config: AdaptiveLimitConfig) {
    this.#config = config;
    this.#nowMs = config.clock.nowMs();
    this.#limit = this.#bounded();
    this.#growth = new GrowthBound(config.maxGrowthPerSecond, this.#limit, this.#nowMs);
    this.#stability = new Stability(this.#limit);
    this.#probe = new FloorProbe(config.random);
  }

  get limit(): number {
    return this.#limit;
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#config.algorithm.baselineMs;
  }

  get gradient(): number | undefined {
    return this.#config.algorithm.gradient;
  }

  onSample({ latencyMs, inFlight, outcome }: LimitSample): void {
    if (outcome === "ignored") return;
    const nowMs = this.#readClock();
    const sample = this.#sample;
    sample.nowMs = nowMs;
    sample.latencyMs = this.#cleanLatency(latencyMs, nowMs);
    sample.inFlight = inFlight >= 1 && inFlight <= Number.MAX_SAFE_INTEGER ? inFlight : 1;
    sample.dropped = outcome === "dropped";
    sample.full = this.#full;
    this.#full = false;
    if (inFlight >= this.#limit) this.#demandAtMs = nowMs;
    this.#config.algorithm.onSample(sample as AlgorithmSample);
    if (this.#mode === "follow") this.#follow(nowMs);
  }

  onFull(): void {
    const nowMs = this.#readClock();
    this.#full = true;
    this.#demandAtMs = nowMs;
    this.#report(this.#stability.demanded(this.#isAtFloor, nowMs));
  }

  takeProbe(): boolean {
    return this.#isAtFloor && this.#probe.take(this.#readClock());
  }

  onChange(listener: () => void): () => void {
    // Wrapped, so that one function can listen twice and end each by itself.
    const each = () => listener();
    this.#listeners.add(each);
    return () => void this.#listeners.delete(each);
  }

  freeze(): void {
    if (this.#mode !== "follow") return;
    this.#mode = "frozen";
    const before = this.#beforeMeasuring;
    this.#beforeMeasuring = undefined;
    // A dip for a moment is nothing to be held for hours.
    if (before !== undefined) this.#set(before, "measured", this.#readClock());
  }

  unfreeze(): void {
    if (this.#mode === "follow") return;
    const wasStatic = this.#mode === "static";
    this.#mode = "follow";
    const nowMs = this.#readClock();
    // A number set by hand says nothing of how fast to grow from it.
    if (wasStatic) this.#set(this.#bounded(), "released", nowMs);
    else this.#follow(nowMs);
  }

  useStatic(limit: number): void {
    if (!isIntegerWithin(limit, 1, Number.MAX_SAFE_INTEGER)) {
      const problems = new Problems("useStatic");
      problems.add("limit", "an integer of 1 or more", limit);
      problems.throwIfAny();
    }
    this.#mode = "static";
    this.#beforeMeasuring = undefined;
    this.#set(limit, "static", this.#readClock());
  }

  get #isAtFloor(): boolean {
    return this.#mode === "follow" && this.#limit <= this.#config.floor;
  }

  /** The estimate as an integer within floor and ceiling. */
  #bounded(): number {
    const { algorithm, floor, ceiling } = this.#config;
    return Math.min(ceiling, Math.max(floor, Math.round(algorithm.limit)));
  }

  #follow(nowMs: Milliseconds): void {
    const { algorithm } = this.#config;
    const estimate = algorithm.limit;
    const wanted = this.#bounded();
    const isMeasuring = algorithm.reason === "measuring";
    if (isMeasuring && wanted < this.#limit) this.#beforeMeasuring ??= this.#limit;
    const before = isMeasuring ? undefined : this.#beforeMeasuring;
    if (!isMeasuring) this.#beforeMeasuring = undefined;
    const allowed = Math.max(this.#allowed(nowMs), before ?? 0);
    const next = Math.min(wanted, allowed);
    // Rounding is no reason to hold the estimate: it could never grow by less than a half.
    if (!isMeasuring && Math.abs(estimate - next) >= 1) algorithm.hold(next);
    if (next === this.#limit) return;
    const { reason } = algorithm;
    this.#set(next, reason === "initial" ? "headroom" : reason, nowMs);
  }

  /** How high the limit may go now. */
  #allowed(nowMs: Milliseconds): number {
    if (nowMs - this.#demandAtMs > DEMAND_MS) return this.#limit;
    return Math.max(this.#limit, this.#growth.highest(nowMs));
  }

  #set(to: number, reason: LimitChangeReason, nowMs: Milliseconds): void {
    const from = this.#limit;
    if (to === from) return;
    this.#limit = to;
    this.#growth.note(to, nowMs);
    // Grown once, it needs somebody else who finds no room.
    if (to > from && reason === "headroom") this.#demandAtMs = Number.NEGATIVE_INFINITY;
    const { recorder, name } = this.#config;
    if (recorder !== undefined) {
      record(recorder, { type: "limit_changed", limit: name, from, to, reason });
    }
    const isOwnMove = reason === "headroom" || reason === "queueing" || reason === "loss";
    if (isOwnMove) this.#report(this.#stability.changed(to, nowMs));
    for (const listener of this.#listeners) listener();
  }

  #report(instability: Instability | undefined): void {
    if (instability === undefined) return;
    const { recorder, name: limit } = this.#config;
    record(recorder, { type: "limit_unstable", limit, value: this.#limit, ...instability });
  }

  /** What no latency can be becomes 0: a request is a sample whatever its clock said. */
  #cleanLatency(latencyMs: Milliseconds, nowMs: Milliseconds): Milliseconds {
    // Numbers beyond any time would make NaN of the squares that algorithms reckon with.
    if (!(latencyMs > 0) || latencyMs > DURATION_MAX_MS) return 0;
    const stalledMs = this.#config.stalls?.overlapMs(nowMs - latencyMs, nowMs) ?? 0;
    return Math.max(0, latencyMs - stalledMs);
  }

  #readClock(): Milliseconds {
    // The port promises that it never goes back; a limit that is asked to survive it does.
    this.#nowMs = Math.max(this.#nowMs, this.#config.clock.nowMs());
    return this.#nowMs;
  }
}
