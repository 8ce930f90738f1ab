import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import { LatencyHistogram } from "./latency-histogram";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";

/** Options of {@link gradient}. */
export interface GradientOptions {
  /** The limit while the least latency is measured, and the least at all. @defaultValue 3 */
  readonly min?: number;
  /** @defaultValue 1000 */
  readonly max?: number;
  /** Time between two updates of the limit. @defaultValue 100 */
  readonly updateIntervalMs?: Milliseconds;
  /**
   * Time between two measurements of the least latency, plus jitter. Larger: it follows a slower
   * server later; smaller: the limit is at `min` more often.
   *
   * @defaultValue 60_000
   */
  readonly measureIntervalMs?: Milliseconds;
  /** How much of the interval is added at random, 0 to 1. @defaultValue 0.15 */
  readonly jitter?: number;
  /** Samples of one measurement. @defaultValue 50 */
  readonly measureSamples?: number;
  /** How much latency may exceed the least, as a share of it, 0 to 10. @defaultValue 0.25 */
  readonly buffer?: number;
  /** Which quantile of latencies is looked at, above 0 to 1. @defaultValue 0.5 */
  readonly quantile?: number;
  /** @defaultValue the system's randomness */
  readonly random?: Random;
}

/** Updates at `min` in a row after which the least latency is measured at once. */
const AT_MIN = 5;

const names = [
  "min",
  "max",
  "updateIntervalMs",
  "measureIntervalMs",
  "jitter",
  "measureSamples",
  "buffer",
  "quantile",
  "random",
];

/**
 * Follows the ratio of the least latency to the newest: ⌊x + √x⌋ with x = limit × ratio, where the
 * ratio is within 0.5 and 2. The least latency is measured by taking the limit to `min`.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks As Envoy's adaptive concurrency filter. Its timers fire here with the next sample, and
 * dropped requests are no samples, as there. It starts by measuring.
 */
export function gradient(options: GradientOptions = {}): LimitAlgorithm {
  const problems = new Problems("gradient options");
  const read = new OptionsReader(options, names, problems);
  const min = read.integer("min", { min: 1, fallback: 3 });
  const parsed: Required<GradientOptions> = {
    min,
    max: read.integer("max", { min, fallback: Math.max(1000, min) }),
    updateIntervalMs: read.integer("updateIntervalMs", { min: 1, fallback: 100 }),
    measureIntervalMs: read.integer("measureIntervalMs", { min: 1, fallback: 60_000 }),
    jitter: read.number("jitter", { min: 0, max: 1, fallback: 0.15 }),
    measureSamples: read.integer("measureSamples", { min: 1, fallback: 50 }),
    buffer: read.number("buffer", { min: 0, max: 10, fallback: 0.25 }),
    quantile: read.number("quantile", { min: 0, max: 1, fallback: 0.5 }),
    random: read.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom(),
  };
  if (parsed.quantile === 0) read.problem("quantile", "a number above 0, up to 1");
  problems.throwIfAny();
  return new Gradient(parsed);
}

class Gradient implements LimitAlgorithm {
  readonly name = "gradient";
  readonly usesDrops = false;
  readonly #options: Required<GradientOptions>;
  readonly #histogram = new LatencyHistogram();
  /** What is enforced when nothing is measured. */
  #limit: number;
  #reason: AlgorithmReason = "measuring";
  #leastMs: Milliseconds | undefined;
  #ratio: number | undefined;
  #isMeasuring = true;
  /** Measured is what starts from here on; `undefined` until the first sample. */
  #epochMs = Number.NEGATIVE_INFINITY;
  #updateAtMs = Number.NEGATIVE_INFINITY;
  #measureAtMs = Number.POSITIVE_INFINITY;
  #updatesAtMin = 0;

  constructor(options: Required<GradientOptions>) {
    this.#options = options;
    this.#limit = options.min;
  }

  get limit(): number {
    return this.#isMeasuring ? this.#options.min : this.#limit;
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  get baselineMs(): Milliseconds | undefined {
    return this.#leastMs;
  }

  get gradient(): number | undefined {
    return this.#ratio;
  }

  hold(limit: number): void {
    this.#limit = limit;
  }

  onSample({ nowMs, latencyMs, dropped }: AlgorithmSample): void {
    if (!this.#isMeasuring && nowMs >= this.#measureAtMs) this.#startMeasuring(nowMs);
    // The update of an interval comes before what belongs to the next one.
    if (!this.#isMeasuring && nowMs >= this.#updateAtMs) this.#update(nowMs);
    if (dropped || (this.#isMeasuring && nowMs - latencyMs < this.#epochMs)) return;
    this.#histogram.add(latencyMs);
    if (this.#isMeasuring && this.#histogram.count >= this.#options.measureSamples) {
      this.#endMeasuring(nowMs);
    }
  }

  #startMeasuring(nowMs: Milliseconds): void {
    this.#isMeasuring = true;
    this.#epochMs = nowMs;
    this.#reason = "measuring";
    this.#histogram.clear();
  }

  #endMeasuring(nowMs: Milliseconds): void {
    const { measureIntervalMs, jitter, updateIntervalMs, quantile, random } = this.#options;
    this.#leastMs = this.#histogram.quantile(quantile);
    this.#histogram.clear();
    this.#isMeasuring = false;
    this.#updatesAtMin = 0;
    this.#reason = "measured";
    this.#measureAtMs = nowMs + measureIntervalMs * (1 + jitter * random.next());
    this.#updateAtMs = nowMs + updateIntervalMs;
  }

  #update(nowMs: Milliseconds): void {
    const { min, max, updateIntervalMs, buffer, quantile } = this.#options;
    this.#updateAtMs = nowMs + updateIntervalMs;
    if (this.#histogram.count === 0) return;
    const latencyMs = this.#histogram.quantile(quantile);
    this.#histogram.clear();
    const ratio = latencyMs > 0 ? ((this.#leastMs ?? 0) * (1 + buffer)) / latencyMs : 2;
    this.#ratio = Math.min(2, Math.max(0.5, ratio));
    const scaled = this.#limit * this.#ratio;
    const before = this.#limit;
    this.#limit = Math.min(max, Math.max(min, Math.floor(scaled + Math.sqrt(scaled))));
    if (this.#limit !== before) this.#reason = this.#limit > before ? "headroom" : "queueing";
    this.#updatesAtMin = this.#limit === min ? this.#updatesAtMin + 1 : 0;
    if (this.#updatesAtMin >= AT_MIN) this.#startMeasuring(nowMs);
  }
}
