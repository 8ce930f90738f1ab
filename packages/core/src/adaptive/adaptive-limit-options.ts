import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import { Contrast } from "./contrast/contrast";
import type { LimitAlgorithm } from "./limit-algorithm";
import type { LoopStalls } from "./loop-stalls";

/** What {@link adaptiveLimit} takes. All are optional. */
export interface AdaptiveLimitOptions {
  /**
   * Where the limit begins, an integer of `floor` to `ceiling`. Larger: fewer refusals until it has
   * found its value; smaller: less for a weak server to stand. Not with `algorithm`, which has one.
   *
   * @defaultValue 20, or what of `floor` and `ceiling` is nearest
   */
  readonly initial?: number;
  /**
   * The least that is enforced, an integer of 1 or more. Larger: more gets through while the other
   * side is down; at 1 a probe a second is all.
   *
   * @defaultValue 1
   */
  readonly floor?: number;
  /**
   * The most that is enforced, an integer of `floor` or more. Keep it to what this process can
   * stand: memory, sockets, the connections of a pool.
   *
   * @defaultValue 1000
   */
  readonly ceiling?: number;
  /**
   * By which part of itself the limit may grow in a second, 0.01 to 1000 (but always by 1). Larger:
   * it finds a high value sooner; smaller: gentler to servers that must warm up and to providers
   * that limit the slope.
   *
   * @defaultValue 1: it may double
   */
  readonly maxGrowthPerSecond?: number;
  /**
   * What estimates: `aimd`, `vegas`, `gradient`, `gradient2`, one of these in a `windowSampler`, or
   * your own. It belongs to this limit alone.
   *
   * @defaultValue the contrast algorithm, see the reference
   */
  readonly algorithm?: LimitAlgorithm;
  /** What knows of stalls of the event loop, to take them out of latencies. @defaultValue none */
  readonly stalls?: LoopStalls;
  /** Names the limit in events: 1 to 64 characters of `[A-Za-z0-9_-]`. @defaultValue `"limit"` */
  readonly name?: string;
  readonly recorder?: Recorder;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** Draws for what is periodic. @defaultValue the system's randomness */
  readonly random?: Random;
}

/** {@link AdaptiveLimitOptions} read: complete, and sound. */
export interface AdaptiveLimitConfig {
  readonly floor: number;
  readonly ceiling: number;
  readonly maxGrowthPerSecond: number;
  readonly algorithm: LimitAlgorithm;
  readonly stalls: LoopStalls | undefined;
  readonly name: string;
  readonly recorder: Recorder | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

const names = [
  "initial",
  "floor",
  "ceiling",
  "maxGrowthPerSecond",
  "algorithm",
  "stalls",
  "name",
  "recorder",
  "clock",
  "random",
] as const;

/** What estimates a limit already: two that feed one algorithm would each hold it back. */
const taken = new WeakSet<LimitAlgorithm>();

/** @throws InvalidOptionsError listing every problem. */
export function parseAdaptiveLimitOptions(given: AdaptiveLimitOptions): AdaptiveLimitConfig {
  const problems = new Problems("adaptiveLimit options");
  const options = new OptionsReader(given, names, problems);
  const floor = options.integer("floor", { min: 1, fallback: 1 });
  const ceiling = options.integer("ceiling", { min: floor, fallback: Math.max(1000, floor) });
  const nearest = Math.min(ceiling, Math.max(floor, 20));
  const initial = options.integer("initial", { min: floor, max: ceiling, fallback: nearest });
  const random = options.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom();
  const algorithm = options.optionalPort<LimitAlgorithm>("algorithm", ["onSample", "hold"]);
  if (algorithm !== undefined && options.isGiven("initial")) {
    options.problem("initial", "no initial beside an algorithm, which has its own");
  }
  const config: AdaptiveLimitConfig = {
    floor,
    ceiling,
    maxGrowthPerSecond: options.number("maxGrowthPerSecond", { min: 0.01, max: 1000, fallback: 1 }),
    algorithm: algorithm ?? new Contrast({ initial, random }),
    stalls: options.optionalPort<LoopStalls>("stalls", ["overlapMs"]),
    name: options.text(
      "name",
      /^[A-Za-z0-9_-]{1,64}$/,
      "1 to 64 characters of [A-Za-z0-9_-]",
      "limit",
    ),
    recorder: options.optionalPort<Recorder>("recorder", ["record"]),
    clock: options.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
    random,
  };
  if (algorithm !== undefined && taken.has(algorithm)) {
    options.problem("algorithm", "an algorithm of its own (this one estimates another limit)");
  }
  problems.throwIfAny();
  if (algorithm !== undefined) taken.add(algorithm);
  return Object.freeze(config);
}
