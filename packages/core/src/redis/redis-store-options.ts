import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { DescriptorKey } from "../engine/command";
import type { Recorder } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import type { RedisClient } from "./executor/client";

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /**
   * Returns a client of ioredis or redis (node-redis), version 5 or 6: single, behind Sentinel, or
   * of a cluster; connected or not. Called once when the store is made, again if it failed, and
   * again when the client has to be replaced (node-redis does not recover from every outage by
   * itself): return a new client each time. Whoever returns the same client again keeps it.
   */
  readonly connect: () => RedisClient | Promise<RedisClient>;
  /**
   * What all keys begin with: 0 to 64 characters of `A-Z a-z 0-9 _ . : @ -`. Two fleets on one
   * server need two.
   *
   * @defaultValue "sluice"
   */
  readonly prefix?: string;
  /**
   * How long a command may take, from the question to its answer: 1 ms to 60 000. After that the
   * limiter's failure policy answers, and a charge that has not been made by then is not made any
   * more. It is the store's own, whatever time-outs the client has.
   *
   * @defaultValue 100
   */
  readonly timeoutMs?: Milliseconds;
  /**
   * How many processes share the store: 1 to 1 000. The failure policy `local` gives each its part.
   *
   * @defaultValue 1
   */
  readonly instances?: number;
  /**
   * The hash tag of a descriptor's keys: on a cluster, descriptors of one tag live in one slot and
   * are judged in one step. Gets the kind and the id as one text (parts are joined by `:`).
   * By default every descriptor has its own tag, and so has one for which this throws or returns no
   * text. The same for all processes, for ever.
   */
  readonly hashTag?: (descriptor: DescriptorKey) => string;
  /**
   * How many commands may wait for an answer at once: 1 or more. More are refused at once, so that
   * a server that does not answer cannot fill the memory.
   *
   * @defaultValue 2000
   */
  readonly maxInFlight?: number;
  /**
   * Whether `close()` closes the client too. False for a client that others use.
   *
   * @defaultValue true
   */
  readonly closesClient?: boolean;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** @defaultValue the system's randomness */
  readonly random?: Random;
  /** Receives `store_node_lost` and `store_node_back`. */
  readonly recorder?: Recorder;
}

/** {@link RedisStoreOptions}, checked and complete. */
export interface RedisStoreConfig {
  readonly connect: () => RedisClient | Promise<RedisClient>;
  readonly prefix: string;
  readonly timeoutMs: Milliseconds;
  readonly instances: number;
  readonly hashTag: ((descriptor: DescriptorKey) => string) | undefined;
  readonly maxInFlight: number;
  readonly closesClient: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
}

const OPTION_NAMES = [
  "connect",
  "prefix",
  "timeoutMs",
  "instances",
  "hashTag",
  "maxInFlight",
  "closesClient",
  "clock",
  "random",
  "recorder",
];

/** No braces: they would move the hash tag. */
const PREFIX = /^[A-Za-z0-9_.:@-]{0,64}$/;

/** @throws InvalidOptionsError listing every bad option. */
export function parseRedisStoreOptions(options: RedisStoreOptions): RedisStoreConfig {
  const problems = new Problems("redisStore options");
  const read = new OptionsReader(options, OPTION_NAMES, problems);
  const expected = "0 to 64 characters of A-Z, a-z, 0-9, _, ., :, @ and -";
  const config = {
    connect: readConnect(read),
    prefix: read.text("prefix", PREFIX, expected, "sluice"),
    timeoutMs: read.integer("timeoutMs", { min: 1, max: 60_000, fallback: 100 }),
    instances: read.integer("instances", { min: 1, max: 1000, fallback: 1 }),
    hashTag: read.optionalFunction<(descriptor: DescriptorKey) => string>("hashTag"),
    maxInFlight: read.integer("maxInFlight", { min: 1, max: 1_000_000, fallback: 2000 }),
    closesClient: readFlag(read, "closesClient", true),
    clock: read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
    random: read.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom(),
    recorder: read.optionalPort<Recorder>("recorder", ["record"]),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readConnect(read: OptionsReader): RedisStoreConfig["connect"] {
  const expected = "a function that returns a client";
  if (!read.isGiven("connect")) read.problem("connect", expected);
  // Without one, or with anything else, the problem is thrown before anybody calls it.
  return read.optionalFunction("connect", expected) as RedisStoreConfig["connect"];
}

function readFlag(read: OptionsReader, name: string, fallback: boolean): boolean {
  const given = read.raw(name);
  if (given === undefined) return fallback;
  if (typeof given !== "boolean") read.problem(name, "true or false");
  return given === true;
}
