import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { LatencyHistogram } from "./latency-histogram";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";

/** Options of {@link windowSampler}. */
export interface WindowSamplerOptions {
  /** What is updated: `aimd`, `vegas`, `gradient2`, or your own. It belongs to this sampler. */
  readonly algorithm: LimitAlgorithm;
  /**
   * The shortest window, an integer of 100 or more. Larger: calmer and later.
   *
   * @defaultValue 1000
   */
  readonly windowMs?: Milliseconds;
  /**
   * Samples that end a window of that length, an integer of 1 or more. With 5 (or with this, if
   * that is less) it ends after five times the length, and with whatever there is after thirty.
   *
   * @defaultValue 20
   */
  readonly minSamples?: number;
  /**
   * What of the latencies of a window is passed on: their mean, or a quantile (above 0, below 1).
   *
   * @defaultValue `"mean"`
   */
  readonly statistic?: "mean" | number;
}

/** A window with more dropped than this is one with losses. */
const LOSS_SHARE = 0.05;
/** What a loss makes of the limit of an algorithm that does not look at drops. */
const LOSS_FACTOR = 0.9;
/** A change of the limit by more than this makes earlier samples stale. */
const EPOCH_CHANGE = 0.1;

/**
 * Makes one update of many samples, for algorithms that are meant for windows or step too often
 * without: the latency of what ended well, the most in flight, whether too many were dropped. No
 * sample is discarded because there were too few.
 *
 * @throws InvalidOptionsError listing every bad option.
 */
export function windowSampler(options: WindowSamplerOptions): LimitAlgorithm {
  const problems = new Problems("windowSampler options");
  const names = ["algorithm", "windowMs", "minSamples", "statistic"];
  const read = new OptionsReader(options, names, problems);
  const algorithm = read.optionalPort<LimitAlgorithm>("algorithm", ["onSample", "hold"]);
  if (!read.isGiven("algorithm")) read.problem("algorithm", "an algorithm");
  const windowMs = read.integer("windowMs", { min: 100, fallback: 1000 });
  const minSamples = read.integer("minSamples", { min: 1, fallback: 20 });
  const quantile = readStatistic(read);
  problems.throwIfAny();
  return new WindowSampler(algorithm as LimitAlgorithm, { windowMs, minSamples, quantile });
}

/** The quantile, or `undefined` for the mean. */
function readStatistic(read: OptionsReader): number | undefined {
  const value = read.raw("statistic");
  if (value === undefined || value === "mean") return undefined;
  if (typeof value === "number" && value > 0 && value < 1) return value;
  read.problem("statistic", '"mean" or a number above 0 and below 1');
  return undefined;
}

interface WindowConfig {
  readonly windowMs: Milliseconds;
  readonly minSamples: number;
  readonly quantile: number | undefined;
}

class WindowSampler implements LimitAlgorithm {
  readonly usesDrops = true;
  readonly name: string;
  readonly #algorithm: LimitAlgorithm;
  readonly #config: WindowConfig;
  readonly #histogram: LatencyHistogram | undefined;
  /** Passed on again and again; its latency is that of the last window in which any ended well. */
  readonly #update = {
    nowMs: 0,
    latencyMs: Number.MAX_SAFE_INTEGER,
    inFlight: 1,
    dropped: false,
    full: false,
  };
  #reason: AlgorithmReason = "initial";
  #startMs: Milliseconds | undefined;
  /** Samples that started before this were made under another limit. */
  #epochMs = Number.NEGATIVE_INFINITY;
  #epochLimit: number;
  #served = 0;
  #dropped = 0;
  #sumMs = 0;
  #mostInFlight = 0;
  #full = false;

  constructor(algorithm: LimitAlgorithm, config: WindowConfig) {
    this.name = `windowed-${algorithm.name}`;
    this.#algorithm = algorithm;
    this.#config = config;
    this.#histogram = config.quantile === undefined ? undefined : new LatencyHistogram();
    this.#epochLimit = algorithm.limit;
  }

  get limit(): number {
    return this.#algorithm.limit;
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#algorithm.baselineMs;
  }

  get gradient(): number | undefined {
    return this.#algorithm.gradient;
  }

  hold(limit: number): void {
    this.#algorithm.hold(limit);
    // Whoever holds it has moved it himself, so that the samples still describe what is enforced.
    this.#epochLimit = limit;
  }

  onSample({ nowMs, latencyMs, inFlight, dropped, full }: AlgorithmSample): void {
    this.#startMs ??= nowMs;
    if (full) this.#full = true;
    if (nowMs - latencyMs >= this.#epochMs) {
      this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
      if (dropped) this.#dropped += 1;
      else {
        this.#served += 1;
        this.#sumMs += latencyMs;
        this.#histogram?.add(latencyMs);
      }
    }
    if (this.#isOver(nowMs)) this.#close(nowMs);
  }

  get #count(): number {
    return this.#served + this.#dropped;
  }

  #isOver(nowMs: Milliseconds): boolean {
    const { windowMs, minSamples } = this.#config;
    const ageMs = nowMs - (this.#startMs ?? nowMs);
    if (ageMs < windowMs || this.#count === 0) return false;
    if (this.#count >= minSamples || ageMs >= 30 * windowMs) return true;
    return ageMs >= 5 * windowMs && this.#count >= Math.min(5, minSamples);
  }

  #close(nowMs: Milliseconds): void {
    const algorithm = this.#algorithm;
    const before = algorithm.limit;
    const hasLosses = this.#dropped > LOSS_SHARE * this.#count;
    if (hasLosses && !algorithm.usesDrops) {
      algorithm.hold(Math.max(1, LOSS_FACTOR * before));
      this.#reason = "loss";
    } else {
      this.#pass(nowMs, hasLosses);
      this.#reason = algorithm.reason;
    }
    // What took half a minute to come together is too little to grow on.
    const isThin = this.#count < Math.min(5, this.#config.minSamples);
    if (isThin && algorithm.limit > before) algorithm.hold(before);
    this.#beginEpoch(nowMs);
    this.#clear(nowMs);
  }

  #pass(nowMs: Milliseconds, dropped: boolean): void {
    const update = this.#update;
    const { quantile } = this.#config;
    update.nowMs = nowMs;
    // Of nothing but drops there is no new latency, and a quick refusal must not pass for one.
    if (this.#served > 0) {
      update.latencyMs =
        quantile === undefined
          ? this.#sumMs / this.#served
          : (this.#histogram?.quantile(quantile) ?? 0);
    }
    update.inFlight = this.#mostInFlight;
    update.dropped = dropped;
    update.full = this.#full;
    this.#algorithm.onSample(update);
  }

  #beginEpoch(nowMs: Milliseconds): void {
    const { limit } = this.#algorithm;
    if (Math.abs(limit - this.#epochLimit) <= EPOCH_CHANGE * this.#epochLimit) return;
    this.#epochLimit = limit;
    this.#epochMs = nowMs;
  }

  #clear(nowMs: Milliseconds): void {
    this.#startMs = nowMs;
    this.#served = 0;
    this.#dropped = 0;
    this.#sumMs = 0;
    this.#mostInFlight = 0;
    this.#full = false;
    this.#histogram?.clear();
  }
}
