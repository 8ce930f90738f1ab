import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import { adaptiveLimit } from "../adaptive/create-adaptive-limit";
import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import { type GateOptions, parseGateOptions } from "../gate/gate-options";
import type { Milliseconds } from "../limit/limit";
import { DURATION_MAX_MS } from "../limit/limit-options";
import { Problems } from "../options/problems";
import { isIntegerWithin, OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import {
  readThrottle,
  type ThrottleConfig,
  type ThrottleSettings,
  throttleNames,
} from "./adaptive-throttle-options";
import { OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED } from "./outbound-name";
import type { RetryBudget } from "./retry-budget";
import {
  type RetryBudgetConfig,
  type RetryBudgetSettings,
  readRetryBudget,
  retryBudgetNames,
} from "./retry-budget-options";
import { type UpstreamKey, upstreamKeyText } from "./upstream-key";
import { upstreamRecorder } from "./upstream-recorder";

/** A cap that several upstreams share, such as the account at a provider. */
export type ParentOptions = Pick<GateOptions, "maxInFlight" | "queue">;

/** What `createUpstreams` takes. Strict: unknown names and bad values are errors. */
export interface UpstreamsOptions {
  /**
   * The limit of the calls in flight of each upstream: a number for all of them, or what makes one
   * per key. An adaptive limit must be a new one for each key.
   *
   * @defaultValue an `adaptiveLimit()` per key
   */
  readonly maxInFlight?: number | ((key: UpstreamKey) => number | AdaptiveLimit);
  /** Who waits for a slot of its upstream, as at a gate. @defaultValue that of `createGate` */
  readonly queue?: GateOptions["queue"];
  /**
   * Until when a call holds the slot of its upstream, as at a gate. With `first-byte` streams that
   * have begun are not counted; bound them with a parent, whose slots are held to the end.
   *
   * @defaultValue `"end"`
   */
  readonly heldUntil?: GateOptions["heldUntil"];
  /**
   * Caps that upstreams share, by name. Upstreams that wait for a slot of the same parent have
   * their turns one after the other.
   */
  readonly parents?: Readonly<Record<string, ParentOptions>>;
  /** The name of the parent of a key; `undefined`: none. Required together with `parents`. */
  readonly parentOf?: (key: UpstreamKey) => string | undefined;
  /** The client throttle of each upstream; false: none. @defaultValue {} */
  readonly throttle?: ThrottleSettings | false;
  /**
   * The budget for retries: settings for one per upstream, or one that all of them share; false:
   * retries are calls like others.
   *
   * @defaultValue {}
   */
  readonly retryBudget?: RetryBudgetSettings | RetryBudget | false;
  /**
   * How long an adaptive limit does not grow after its upstream has refused a call for its load, an
   * integer of 0 or more.
   *
   * @defaultValue 15_000
   */
  readonly holdGrowthMs?: Milliseconds;
  /**
   * The longest pause, an integer of 1 or more. Longer ones that an upstream asks for are cut to
   * it; the first call afterwards finds out whether the upstream still means it.
   *
   * @defaultValue 300_000
   */
  readonly pauseMaxMs?: Milliseconds;
  /**
   * Upstreams that are remembered, an integer of 1 or more. Beyond it the one that was used least
   * recently is forgotten, if nothing is in flight there. Those with calls in flight are never
   * forgotten, so there may be as many more as there are calls.
   *
   * @defaultValue 1000
   */
  readonly maxKeys?: number;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** Draws of the throttles. @defaultValue the system's randomness */
  readonly random?: Random;
  readonly recorder?: Recorder;
  /**
   * Names these upstreams in events, and their gates: 1 to 64 characters of `[A-Za-z0-9_-]`. A
   * parent's gate has the parent's name.
   *
   * @defaultValue `"upstream"`
   */
  readonly name?: string;
}

/** {@link UpstreamsOptions}, checked and complete. */
export interface UpstreamsConfig {
  readonly limitOf: (key: UpstreamKey) => number | AdaptiveLimit;
  readonly queue: GateOptions["queue"];
  readonly heldUntil: NonNullable<GateOptions["heldUntil"]>;
  readonly parents: ReadonlyMap<string, ParentOptions>;
  readonly parentOf: (key: UpstreamKey) => string | undefined;
  readonly throttle: ThrottleConfig | false;
  readonly retryBudget: RetryBudgetConfig | RetryBudget | false;
  readonly holdGrowthMs: Milliseconds;
  readonly pauseMaxMs: Milliseconds;
  readonly maxKeys: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly name: string;
}

const names = [
  "maxInFlight",
  "queue",
  "heldUntil",
  "parents",
  "parentOf",
  "throttle",
  "retryBudget",
  "holdGrowthMs",
  "pauseMaxMs",
  "maxKeys",
  "clock",
  "random",
  "recorder",
  "name",
];

/** @throws InvalidOptionsError listing every problem. */
export function parseUpstreamsOptions(given: UpstreamsOptions): UpstreamsConfig {
  const problems = new Problems("createUpstreams options");
  const options = new OptionsReader(given, names, problems);
  const duration = { max: DURATION_MAX_MS };
  const ports = {
    clock: options.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
    random: options.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom(),
    recorder: options.optionalPort<Recorder>("recorder", ["record"]),
    name: options.text("name", OUTBOUND_NAME, OUTBOUND_NAME_EXPECTED, "upstream"),
  };
  const config: UpstreamsConfig = {
    ...ports,
    limitOf: readLimit(options, ports),
    queue: options.raw("queue") as GateOptions["queue"],
    heldUntil: options.oneOf("heldUntil", ["end", "first-byte"], "end"),
    parents: readParents(options),
    parentOf: options.optionalFunction("parentOf") ?? noParent,
    throttle: readPart(options, problems, "throttle", throttleNames, readThrottle),
    retryBudget: readBudget(options, problems),
    holdGrowthMs: options.integer("holdGrowthMs", { ...duration, min: 0, fallback: 15_000 }),
    pauseMaxMs: options.integer("pauseMaxMs", { ...duration, min: 1, fallback: 300_000 }),
    maxKeys: options.integer("maxKeys", { min: 1, fallback: 1000 }),
  };
  if (config.parents.size > 0 && !options.isGiven("parentOf")) {
    options.problem("parentOf", "a function that names the parent of a key");
  }
  problems.throwIfAny();
  requireQueue(options.raw("queue"));
  return Object.freeze(config);
}

/**
 * Each key makes a gate of these settings, and they are to be refused before the first one does.
 */
function requireQueue(queue: unknown): void {
  if (queue !== undefined) parseGateOptions({ maxInFlight: 1, queue: queue as object });
}

function noParent(): undefined {}

function readLimit(
  options: OptionsReader,
  {
    clock,
    random,
    recorder,
    name,
  }: Pick<UpstreamsConfig, "clock" | "random" | "recorder" | "name">,
): UpstreamsConfig["limitOf"] {
  const given = options.raw("maxInFlight");
  if (given === undefined) {
    return (key) => {
      const own = recorder && { recorder: upstreamRecorder(recorder, upstreamKeyText(key)) };
      return adaptiveLimit({ clock, random, name, ...own });
    };
  }
  if (typeof given === "function") return given as UpstreamsConfig["limitOf"];
  if (isIntegerWithin(given, 1, Number.MAX_SAFE_INTEGER)) return () => given;
  options.problem("maxInFlight", "an integer of 1 or more, or a function that makes a limit");
  return () => 1;
}

/** The settings of each parent are read by its gate. */
function readParents(options: OptionsReader): ReadonlyMap<string, ParentOptions> {
  const given = options.raw("parents");
  if (given === undefined) return new Map();
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    const parents = Object.entries(given as Record<string, ParentOptions>);
    if (parents.every(([name]) => OUTBOUND_NAME.test(name))) return new Map(parents);
  }
  options.problem("parents", `an object whose names are ${OUTBOUND_NAME_EXPECTED}`);
  return new Map();
}

function readBudget(options: OptionsReader, problems: Problems): UpstreamsConfig["retryBudget"] {
  const given = options.raw("retryBudget");
  const isBudget = typeof (given as RetryBudget | null | undefined)?.tryRetry === "function";
  if (isBudget) return given as RetryBudget;
  return readPart(options, problems, "retryBudget", retryBudgetNames, readRetryBudget);
}

function readPart<T>(
  options: OptionsReader,
  problems: Problems,
  name: string,
  known: readonly string[],
  read: (part: OptionsReader) => T,
): T | false {
  const given = options.raw(name);
  if (given === false) return false;
  return read(new OptionsReader(given === undefined ? {} : given, known, problems, name));
}
