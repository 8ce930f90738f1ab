import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { DURATION_MAX_MS, UNIT_NAME } from "../limit/limit-options";
import { Problems } from "../options/problems";
import { isIntegerWithin, OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import { memoryStore } from "../store/memory/memory-store";
import type { Store } from "../store/store";
import { Units } from "./full-cost";
import { readWaiting, type WaitingConfig, type WaitingOptions } from "./waiting/waiting-options";

/** What to answer while the store cannot execute commands. */
export type StoreUnavailablePolicy = "local" | "admit" | "reject";

/** Options of {@link createLimiter}. */
export interface LimiterOptions {
  /**
   * Where the state lives.
   *
   * @defaultValue a memory store of its own, closed together with the limiter
   */
  readonly store?: Store;
  /**
   * The units that questions cost and limits count: 1 to 16 names of `[a-z0-9_-]`, a letter first.
   * `slots` is not among them.
   *
   * @defaultValue ["requests", "tokens"]
   */
  readonly units?: readonly string[];
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** @defaultValue the system's randomness */
  readonly random?: Random;
  /** Receives every verdict, closed permit, lost lease and store failure. */
  readonly recorder?: Recorder;
  /**
   * `local` decides in memory of this process, with its part of each limit (`max` divided by the
   * store's `instances`) and from where the store was heard last, and tells the store when it is
   * back; `admit` lets everything through uncounted; `reject` refuses with `store_unavailable`. A
   * full limit and a failing store are never mixed up.
   *
   * A store in this process has nothing nearer to fall back to: there `local` is `reject`. A store
   * that is full or was closed is refused for under every policy.
   *
   * @defaultValue "local"
   */
  readonly onStoreUnavailable?: StoreUnavailablePolicy;
  /**
   * The wait told with `store_unavailable`: 1 ms or more.
   *
   * @defaultValue 1000
   */
  readonly storeUnavailableRetryAfterMs?: Milliseconds;
  /**
   * The wait told with `concurrency_exhausted`, since nobody knows when a slot comes back: 1 ms or
   * more. Each answer is 75 to 100 % of it, so that the refused do not come back together.
   *
   * @defaultValue 1000
   */
  readonly concurrencyRetryAfterMs?: Milliseconds;
  /** How many questions may wait (`maxWaitMs`). */
  readonly queue?: WaitingOptions;
}

/** {@link LimiterOptions}, checked and complete. */
export interface LimiterConfig {
  readonly queue: WaitingConfig;
  readonly store: Store;
  /** Whether the limiter made the store, and so closes it. */
  readonly ownsStore: boolean;
  /** How many processes share the store. */
  readonly instances: number;
  readonly units: Units;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly onStoreUnavailable: StoreUnavailablePolicy;
  readonly storeUnavailableRetryAfterMs: Milliseconds;
  readonly concurrencyRetryAfterMs: Milliseconds;
}

const UNITS_MAX = 16;
const POLICIES = ["local", "admit", "reject"] as const;

/** Divided by more, the slowest buckets would leave the integers. */
const INSTANCES_MAX = 1000;
const STORE_METHODS = ["admit", "peek", "settle", "release", "renew", "undo", "reset", "close"];
const OPTION_NAMES = [
  "store",
  "units",
  "clock",
  "random",
  "recorder",
  "onStoreUnavailable",
  "storeUnavailableRetryAfterMs",
  "concurrencyRetryAfterMs",
  "queue",
];

/** @throws InvalidOptionsError listing every bad option. */
export function parseLimiterOptions(options: LimiterOptions): LimiterConfig {
  const problems = new Problems("createLimiter options");
  const read = new OptionsReader(options, OPTION_NAMES, problems);
  const clock = read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock();
  const random = read.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom();
  const recorder = read.optionalPort<Recorder>("recorder", ["record"]);
  const store = read.optionalPort<Store>("store", STORE_METHODS);
  const units = readUnits(read);
  const hint = { min: 1, max: DURATION_MAX_MS, fallback: 1000 };
  const config = {
    ownsStore: store === undefined,
    instances: readInstances(store, problems),
    units: new Units(units),
    clock,
    random,
    recorder,
    onStoreUnavailable: read.oneOf("onStoreUnavailable", POLICIES, "local"),
    storeUnavailableRetryAfterMs: read.integer("storeUnavailableRetryAfterMs", hint),
    concurrencyRetryAfterMs: read.integer("concurrencyRetryAfterMs", hint),
    queue: readWaiting(read, problems),
  } as const;
  problems.throwIfAny();
  const ports = recorder === undefined ? { clock, random } : { clock, random, recorder };
  return Object.freeze({ ...config, store: store ?? memoryStore(ports) });
}

function readInstances(store: Store | undefined, problems: Problems): number {
  const given: unknown = store?.instances;
  if (given === undefined) return 1;
  if (isIntegerWithin(given, 1, INSTANCES_MAX)) return given;
  problems.add("store.instances", `an integer from 1 to ${INSTANCES_MAX}`, given);
  return 1;
}

function readUnits(read: OptionsReader): readonly string[] {
  const given = read.raw("units");
  if (given === undefined) return ["requests", "tokens"];
  const isList = Array.isArray(given) && given.length > 0 && given.length <= UNITS_MAX;
  // Spread, because `every` passes over the holes of a list.
  const areNames =
    isList &&
    [...given].every(
      (name) => typeof name === "string" && UNIT_NAME.test(name) && name !== "slots",
    ) &&
    new Set(given).size === given.length;
  if (areNames) return [...given];
  read.problem("units", `a list of 1 to ${UNITS_MAX} different unit names, slots not among them`);
  return ["requests", "tokens"];
}
