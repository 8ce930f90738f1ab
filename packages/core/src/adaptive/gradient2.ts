import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { ExponentialMean } from "./exponential-mean";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";
import { type LimitRangeOptions, limitRangeNames, readLimitRange } from "./limit-range";

/** Options of {@link gradient2}. Defaults: initial 20, min 20, max 200. */
export interface Gradient2Options extends LimitRangeOptions {
  /**
   * How much of a step is made, above 0 to 1.
   *
   * @defaultValue 0.2
   */
  readonly smoothing?: number;
  /**
   * Requests that may queue: what each step adds, 0 or more.
   *
   * @defaultValue 4
   */
  readonly queueSize?: number;
  /**
   * Samples of the long mean, an integer of 10 or more. Smaller: a slowdown is forgotten sooner.
   *
   * @defaultValue 600
   */
  readonly longWindow?: number;
  /**
   * Latency may be this many times the long mean, 1 to 10, before the limit shrinks.
   *
   * @defaultValue 1.5
   */
  readonly tolerance?: number;
}

/** Samples of the long mean that count alike at the start. */
const WARM_UP = 10;

/**
 * Follows the ratio of a long mean of latencies to the newest: limit × ratio + `queueSize`, where
 * the ratio is within 0.5 and 1.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks As in Netflix's concurrency-limits, where drops are ignored: if everything times out
 * after the same time, it grows to its maximum. Meant for windows: see {@link windowSampler}.
 */
export function gradient2(options: Gradient2Options = {}): LimitAlgorithm {
  const problems = new Problems("gradient2 options");
  const names = [...limitRangeNames, "smoothing", "queueSize", "longWindow", "tolerance"];
  const read = new OptionsReader(options, names, problems);
  const range = readLimitRange(read, { initial: 20, min: 20, max: 200 });
  const smoothing = read.number("smoothing", { min: 0, max: 1, fallback: 0.2 });
  if (smoothing === 0) read.problem("smoothing", "a number above 0, up to 1");
  const queueSize = read.number("queueSize", { min: 0, max: 1_000_000, fallback: 4 });
  const longWindow = read.integer("longWindow", { min: WARM_UP, fallback: 600 });
  const tolerance = read.number("tolerance", { min: 1, max: 10, fallback: 1.5 });
  problems.throwIfAny();
  return new Gradient2({ ...range, smoothing, queueSize, longWindow, tolerance });
}

class Gradient2 implements LimitAlgorithm {
  readonly name = "gradient2";
  readonly usesDrops = false;
  readonly #options: Required<Gradient2Options>;
  readonly #long: ExponentialMean;
  #limit: number;
  #reason: AlgorithmReason = "initial";
  #longMs: Milliseconds | undefined;
  #gradient: number | undefined;

  constructor(options: Required<Gradient2Options>) {
    this.#options = options;
    this.#limit = options.initial;
    this.#long = new ExponentialMean({ window: options.longWindow, warmUp: WARM_UP });
  }

  get limit(): number {
    return this.#limit;
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#longMs;
  }

  get gradient(): number | undefined {
    return this.#gradient;
  }

  hold(limit: number): void {
    this.#limit = limit;
  }

  onSample({ latencyMs, inFlight }: AlgorithmSample): void {
    const { min, max, smoothing, queueSize, tolerance } = this.#options;
    const longMs = this.#long.add(latencyMs);
    this.#longMs = longMs;
    // After a long slow time the mean would take as long to come down; this helps it.
    if (longMs > 2 * latencyMs) this.#long.scale(0.95);
    const limit = this.#limit;
    if (2 * inFlight < limit) return;
    // 0 / 0, all latencies below the clock's step, is no queue.
    const ratio = latencyMs > 0 ? (tolerance * longMs) / latencyMs : 1;
    const gradient = Math.min(1, Math.max(0.5, ratio));
    this.#gradient = gradient;
    const next = limit + smoothing * (limit * gradient + queueSize - limit);
    this.#limit = Math.min(max, Math.max(min, next));
    if (this.#limit !== limit) this.#reason = this.#limit > limit ? "headroom" : "queueing";
  }
}
