import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import type { GateRejected, GateSettings } from "./gate";
import type { GateClassOptions } from "./gate-class";
import { readSettings, type SettingsState, settingNames } from "./gate-settings";
import type { RetryHintConfig } from "./retry-hint";

/** What a client is told to wait at most: longer, and it is better off somewhere else. */
const RETRY_AFTER_MAX_MS = 30_000;

/**
 * What {@link createGate} takes. Strict: unknown names and bad values are errors, never "off".
 * `C`: the names of the classes.
 */
export interface GateOptions<C extends string = string> {
  /**
   * Requests that may hold a slot at once, an integer of 1 or more. Larger: more parallel work, and
   * more memory and latency when all of it is slow. No gate at all is `mode: "off"`, not 0.
   *
   * Or an adaptive limit, which finds the number by itself: the gate tells it how requests went and
   * enforces what it says. A limit belongs to one gate.
   */
  readonly maxInFlight: number | AdaptiveLimit;
  /**
   * Until when a request holds its slot. `end`: until its permit is ended. `first-byte`: until
   * `permit.firstByte()`, for streams, whose length says nothing about load; how many streams are
   * open is then for a second gate to bound.
   *
   * @defaultValue `"end"`
   */
  readonly heldUntil?: "first-byte" | "end";
  /**
   * Classes of traffic, by name (a letter and up to 63 of `[A-Za-z0-9_-]`; at most 64 classes).
   *
   * @defaultValue none: all requests are alike, first in, first out
   */
  readonly classes?: Readonly<Record<C, GateClassOptions>>;
  /**
   * The class of a request that does not say one.
   *
   * @defaultValue the first of `classes`
   */
  readonly defaultClass?: NoInfer<C>;
  readonly queue?: {
    /**
     * Requests that may wait, an integer of 0 or more; 0: nobody waits. Larger: bursts are absorbed
     * instead of refused, at the price of latency.
     *
     * @defaultValue `maxInFlight`, also after that has been changed.
     */
    readonly max?: number;
    /**
     * Longest wait, an integer of 1 or more. Shorter than what a client waits before it retries, so
     * that nobody's slot goes to a client that has gone.
     *
     * @defaultValue 1000
     */
    readonly timeoutMs?: Milliseconds;
  };
  /**
   * `enforce` refuses; `shadow` lets everybody in at once and counts whom it would not have let in
   * at once; `off` lets everybody in and only counts what is in flight. A draining gate and an
   * aborted signal refuse in every mode.
   *
   * @defaultValue `"enforce"`
   */
  readonly mode?: GateSettings["mode"];
  /**
   * The share (0 to 1) of would-be rejections that are enforced, drawn for each of them. The others
   * start at once, beyond the cap. For introducing a gate step by step; below 1 the cap does not
   * hold.
   * `draining` and `aborted` are always enforced.
   *
   * @defaultValue 1
   */
  readonly enforceRatio?: number;
  /**
   * What a refused client is told to wait. `fixed`: `retryAfterMs`. `drain-rate`: what a newcomer
   * at the end of the queue would wait (place x mean hold / cap), at least `retryAfterMs` and at
   * most `retryAfterMaxMs`, stretched by 0 to 50 % at random. A hint in either case.
   *
   * @defaultValue `"fixed"`
   */
  readonly retryAfter?: "fixed" | "drain-rate";
  /**
   * An integer of 1 or more; see `retryAfter`.
   *
   * @defaultValue 1000
   */
  readonly retryAfterMs?: Milliseconds;
  /**
   * An integer of `retryAfterMs` or more; see `retryAfter`.
   *
   * @defaultValue 30 000, or `retryAfterMs` if that is more
   */
  readonly retryAfterMaxMs?: Milliseconds;
  /**
   * Called with each enforced rejection; the place for an approved degraded answer. What it
   * returns, unless `undefined`, is the `degraded` of the verdict, for whoever renders it. It stays
   * a rejection. Must be quick and synchronous: what it throws is dropped, and so is a promise.
   */
  readonly onReject?: (rejected: GateRejected) => unknown;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** Draws for `enforceRatio` and `retryAfter`. @defaultValue the system's randomness */
  readonly random?: Random;
  readonly recorder?: Recorder;
  /**
   * Names the gate in events: 1 to 64 characters of `[A-Za-z0-9_-]`.
   *
   * @defaultValue `"gate"`
   */
  readonly name?: string;
}

/** {@link GateOptions} read: complete, and sound. */
export interface GateConfig extends RetryHintConfig {
  readonly initial: SettingsState;
  /** Absent in a gate without classes. */
  readonly defaultClass: string | undefined;
  readonly heldUntil: "first-byte" | "end";
  readonly onReject: ((rejected: GateRejected) => unknown) | undefined;
  readonly clock: Clock;
  readonly recorder: Recorder | undefined;
  readonly name: string;
}

const otherNames = [
  "heldUntil",
  "defaultClass",
  "retryAfter",
  "retryAfterMs",
  "retryAfterMaxMs",
  "onReject",
  "clock",
  "random",
  "recorder",
  "name",
] as const;

/** @throws InvalidOptionsError listing every problem. */
export function parseGateOptions(given: GateOptions): GateConfig {
  const problems = new Problems("gate options");
  const options = new OptionsReader(given, [...settingNames, ...otherNames], problems);
  const initial = readSettings(options, problems);
  const retryAfterMs = options.integer("retryAfterMs", { min: 1, fallback: 1000 });
  const config: GateConfig = {
    initial,
    defaultClass: readDefaultClass(options, [...initial.classes.classes.keys()]),
    heldUntil: options.oneOf("heldUntil", ["end", "first-byte"], "end"),
    retryAfter: options.oneOf("retryAfter", ["fixed", "drain-rate"], "fixed"),
    retryAfterMs,
    retryAfterMaxMs: options.integer("retryAfterMaxMs", {
      min: retryAfterMs,
      fallback: Math.max(RETRY_AFTER_MAX_MS, retryAfterMs),
    }),
    onReject: options.optionalFunction("onReject"),
    clock: options.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock(),
    random: options.optionalPort<Random>("random", ["next", "id"]) ?? systemRandom(),
    recorder: options.optionalPort<Recorder>("recorder", ["record"]),
    name: options.text(
      "name",
      /^[A-Za-z0-9_-]{1,64}$/,
      "1 to 64 characters of [A-Za-z0-9_-]",
      "gate",
    ),
  };
  problems.throwIfAny();
  return Object.freeze(config);
}

function readDefaultClass(options: OptionsReader, names: readonly string[]): string | undefined {
  if (names.length > 0) return options.oneOf("defaultClass", names, names[0] as string);
  if (options.isGiven("defaultClass")) options.problem("defaultClass", "nothing without classes");
  return undefined;
}
