import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { DURATION_MAX_MS } from "../limit/limit-options";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import { OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED } from "./outbound-name";

/** What {@link adaptiveThrottle} takes, and the option `throttle` of `createUpstreams`. */
export interface ThrottleSettings {
  /**
   * How many calls are sent per call that the upstream accepts, 1 to 100. 2: throttling begins when
   * less than half is accepted, and one refused call is sent per accepted one. Smaller: fewer calls
   * in vain, and healthy calls are refused when the upstream errs for other reasons.
   *
   * @defaultValue 1.5
   */
  readonly k?: number;
  /**
   * How far back calls count: 1 000 ms to a day, in 30 steps. Longer: steadier, and slower to
   * notice a change.
   *
   * @defaultValue 30_000
   */
  readonly windowMs?: Milliseconds;
  /**
   * With fewer requests in the window nothing is refused: after one failed call the formula alone
   * would refuse half of a burst. An integer of 0 or more.
   *
   * @defaultValue 5
   */
  readonly minRequests?: number;
  /**
   * A call passes, whatever is drawn, when the last one that passed is at least this long ago:
   * without it a client that is refused everything would hear of a recovery only when the window
   * has ended. An integer of 1 or more.
   *
   * @defaultValue 1000
   */
  readonly probeEveryMs?: Milliseconds;
  /**
   * The names by which calls may differ in importance, 1 to 16 of `[A-Za-z0-9_.-]`. Each has
   * counters of its own: refused batch work throttles no interactive calls. The first one is that
   * of calls that name none.
   *
   * @defaultValue `["critical", "critical_plus", "sheddable_plus", "sheddable"]`
   */
  readonly criticalities?: readonly string[];
  /**
   * The wait told with `throttled`, an integer of 1 or more. A hint: each answer is 75 to 100 % of
   * it.
   *
   * @defaultValue 1000
   */
  readonly retryAfterMs?: Milliseconds;
}

/** {@link ThrottleSettings} of a throttle of its own, with its ports. */
export interface AdaptiveThrottleOptions extends ThrottleSettings {
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** Draws who is refused, and the hints. @defaultValue the system's randomness */
  readonly random?: Random;
  readonly recorder?: Recorder;
  /**
   * Names the throttle in events: 1 to 64 characters of `[A-Za-z0-9_-]`.
   *
   * @defaultValue `"throttle"`
   */
  readonly name?: string;
}

/** {@link ThrottleSettings}, checked and complete. */
export type ThrottleConfig = Required<ThrottleSettings>;

/** {@link AdaptiveThrottleOptions}, checked and complete. */
export interface AdaptiveThrottleConfig extends ThrottleConfig {
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly name: string;
}

const DAY_MS = 86_400_000;
const CRITICALITIES_MAX = 16;
const CRITICALITY = /^[A-Za-z0-9_.-]{1,64}$/;
const GOOGLES = ["critical", "critical_plus", "sheddable_plus", "sheddable"];

export const throttleNames = [
  "k",
  "windowMs",
  "minRequests",
  "probeEveryMs",
  "criticalities",
  "retryAfterMs",
] as const;

/** Reads the settings in `options`; problems go where the reader puts them. */
export function readThrottle(options: OptionsReader): ThrottleConfig {
  return {
    k: options.number("k", { min: 1, max: 100, fallback: 1.5 }),
    windowMs: options.integer("windowMs", { min: 1000, max: DAY_MS, fallback: 30_000 }),
    minRequests: options.integer("minRequests", { min: 0, fallback: 5 }),
    probeEveryMs: options.integer("probeEveryMs", {
      min: 1,
      max: DURATION_MAX_MS,
      fallback: 1000,
    }),
    criticalities: readCriticalities(options),
    retryAfterMs: options.integer("retryAfterMs", {
      min: 1,
      max: DURATION_MAX_MS,
      fallback: 1000,
    }),
  };
}

/** @throws InvalidOptionsError listing every problem. */
export function parseAdaptiveThrottleOptions(
  given: AdaptiveThrottleOptions,
): AdaptiveThrottleConfig {
  const problems = new Problems("adaptiveThrottle options");
  const names = [...throttleNames, "clock", "random", "recorder", "name"];
  const options = new OptionsReader(given, names, problems);
  const config = {
    ...readThrottle(options),
    clock: options.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
    random: options.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom(),
    recorder: options.optionalPort<Recorder>("recorder", ["record"]),
    name: options.text("name", OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED, "throttle"),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readCriticalities(options: OptionsReader): readonly string[] {
  const given = options.raw("criticalities");
  if (given === undefined) return GOOGLES;
  const areNames =
    Array.isArray(given) &&
    given.length > 0 &&
    given.length <= CRITICALITIES_MAX &&
    // Spread, because `every` passes over the holes of a list.
    [...given].every((name) => typeof name === "string" && CRITICALITY.test(name)) &&
    new Set(given).size === given.length;
  if (areNames) return Object.freeze([...given]);
  options.problem(
    "criticalities",
    `a list of 1 to ${CRITICALITIES_MAX} different names of [A-Za-z0-9_.-]`,
  );
  return GOOGLES;
}
