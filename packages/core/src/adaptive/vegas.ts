import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";
import { type LimitRangeOptions, limitRangeNames, readLimitRange } from "./limit-range";
import { logStep } from "./log-step";

/** Options of {@link vegas}. Defaults: initial 20, min 1, max 1000. */
export interface VegasOptions extends LimitRangeOptions {
  /**
   * How much of a step is made, above 0 to 1.
   *
   * @defaultValue 1
   */
  readonly smoothing?: number;
  /**
   * The baseline is taken anew after 0.5 to 1 times this times the limit samples, an integer of 1
   * or more. Smaller: it follows a slower server sooner, and takes its queue for it sooner.
   *
   * @defaultValue 30
   */
  readonly probeMultiplier?: number;
  /**
   * The next lower limit.
   *
   * @defaultValue limit - ⌊log10 limit⌋, by 1 at least
   */
  readonly decrease?: (limit: number) => number;
  /** Draws when the baseline is taken anew. @defaultValue the system's randomness */
  readonly random?: Random;
}

/** What no latency can be below, so that a latency of 0 divides nothing: the step of the clock. */
const LATENCY_MIN_MS = 1;

/**
 * Keeps the estimated queue, limit × (1 - baseline / latency), between 3 and 6 log10 limit
 * requests. The baseline is the least latency since it was taken last.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks As in Netflix's concurrency-limits, after TCP Vegas. There a latency of 0 is an error;
 * here it counts as 1 ms.
 */
export function vegas(options: VegasOptions = {}): LimitAlgorithm {
  const problems = new Problems("vegas options");
  const names = [...limitRangeNames, "smoothing", "probeMultiplier", "decrease", "random"];
  const read = new OptionsReader(options, names, problems);
  const range = readLimitRange(read, { initial: 20, min: 1, max: 1000 });
  const smoothing = read.number("smoothing", { min: 0, max: 1, fallback: 1 });
  if (smoothing === 0) read.problem("smoothing", "a number above 0, up to 1");
  const probeMultiplier = read.integer("probeMultiplier", { min: 1, fallback: 30 });
  const decrease = read.optionalFunction<(limit: number) => number>("decrease") ?? logDecrease;
  const random = read.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom();
  problems.throwIfAny();
  return new Vegas({ ...range, smoothing, probeMultiplier, decrease, random });
}

function logDecrease(limit: number): number {
  return limit - logStep(limit);
}

class Vegas implements LimitAlgorithm {
  readonly name = "vegas";
  readonly usesDrops = true;
  readonly #options: Required<VegasOptions>;
  #limit: number;
  #reason: AlgorithmReason = "initial";
  #baselineMs = Number.POSITIVE_INFINITY;
  #latencyMs = 0;
  #samples = 0;
  #jitter: number;

  constructor(options: Required<VegasOptions>) {
    this.#options = options;
    this.#limit = options.initial;
    this.#jitter = this.#drawJitter();
  }

  get limit(): number {
    return this.#limit;
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  get baselineMs(): number | undefined {
    return this.#latencyMs === 0 ? undefined : this.#baselineMs;
  }

  get gradient(): number | undefined {
    return this.#latencyMs === 0 ? undefined : this.#baselineMs / this.#latencyMs;
  }

  hold(limit: number): void {
    this.#limit = limit;
  }

  onSample({ latencyMs: givenMs, inFlight, dropped }: AlgorithmSample): void {
    const latencyMs = Math.max(LATENCY_MIN_MS, givenMs);
    const { probeMultiplier } = this.#options;
    this.#latencyMs = latencyMs;
    this.#samples += 1;
    if (this.#samples >= this.#jitter * probeMultiplier * this.#limit) {
      this.#jitter = this.#drawJitter();
      this.#samples = 0;
      this.#baselineMs = latencyMs;
      return;
    }
    if (latencyMs < this.#baselineMs) {
      this.#baselineMs = latencyMs;
      return;
    }
    this.#step(this.#next(latencyMs, inFlight, dropped));
  }

  #next(latencyMs: number, inFlight: number, dropped: boolean): number {
    const limit = this.#limit;
    const unit = logStep(limit);
    if (dropped) {
      this.#reason = "loss";
      return this.#options.decrease(limit);
    }
    if (2 * inFlight < limit) return limit;
    const queue = Math.ceil(limit * (1 - this.#baselineMs / latencyMs));
    if (queue > 6 * unit) {
      this.#reason = "queueing";
      return this.#options.decrease(limit);
    }
    if (queue >= 3 * unit) return limit;
    this.#reason = "headroom";
    return limit + (queue <= unit ? 6 * unit : unit);
  }

  #step(next: number): void {
    const { min, max, smoothing } = this.#options;
    const bounded = Math.min(max, Math.max(min, next));
    this.#limit += smoothing * (bounded - this.#limit);
  }

  #drawJitter(): number {
    return 0.5 + this.#options.random.next() / 2;
  }
}
