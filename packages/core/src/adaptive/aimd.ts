import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";
import { type LimitRangeOptions, limitRangeNames, readLimitRange } from "./limit-range";

/** Options of {@link aimd}. Defaults: initial 20, min 20, max 200. */
export interface AimdOptions extends LimitRangeOptions {
  /**
   * What a drop multiplies the limit by, 0.5 to below 1. Smaller: it yields faster.
   *
   * @defaultValue 0.9
   */
  readonly backoff?: number;
  /**
   * A latency above this counts as a drop. Larger: a longer queue is accepted, up to capacity ×
   * timeout / service time.
   *
   * @defaultValue 5000
   */
  readonly timeoutMs?: Milliseconds;
}

/**
 * Additive increase, multiplicative decrease, by outcomes alone: + 1 for each sample that used at
 * least half of the limit, × `backoff` for each drop. For upstreams that refuse what is too much.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks As in Netflix's concurrency-limits. One step per sample: a burst of drops multiplies as
 * often, so put it into a {@link windowSampler} where drops come in bursts.
 */
export function aimd(options: AimdOptions = {}): LimitAlgorithm {
  const problems = new Problems("aimd options");
  const read = new OptionsReader(options, [...limitRangeNames, "backoff", "timeoutMs"], problems);
  const range = readLimitRange(read, { initial: 20, min: 20, max: 200 });
  const backoff = read.number("backoff", { min: 0.5, max: 1, fallback: 0.9 });
  if (backoff === 1) read.problem("backoff", "a number from 0.5 to below 1");
  const timeoutMs = read.integer("timeoutMs", { min: 1, fallback: 5000 });
  problems.throwIfAny();
  return new Aimd({ ...range, backoff, timeoutMs });
}

class Aimd implements LimitAlgorithm {
  readonly name = "aimd";
  readonly usesDrops = true;
  readonly #options: Required<AimdOptions>;
  #limit: number;
  #reason: AlgorithmReason = "initial";

  constructor(options: Required<AimdOptions>) {
    this.#options = options;
    this.#limit = options.initial;
  }

  get limit(): number {
    return this.#limit;
  }

  get reason(): AlgorithmReason {
    return this.#reason;
  }

  hold(limit: number): void {
    this.#limit = limit;
  }

  onSample({ latencyMs, inFlight, dropped }: AlgorithmSample): void {
    const { backoff, timeoutMs, min, max } = this.#options;
    let next = this.#limit;
    if (dropped || latencyMs > timeoutMs) {
      next = Math.floor(next * backoff);
      this.#reason = "loss";
    } else if (2 * inFlight >= next) {
      next += 1;
      this.#reason = "headroom";
    }
    this.#limit = Math.min(max, Math.max(min, next));
  }
}
