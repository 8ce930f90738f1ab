import type { Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Recorder } from "../event/recorder";
import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { Random } from "../random/random";
import { systemRandom } from "../random/system-random";
import type { GateRejected, GateSettings } from "./gate";
import { readSettings, type SettingsState, settingNames } from "./gate-settings";

/** What {@link createGate} takes. Strict: unknown names and bad values are errors, never "off". */
export interface GateOptions {
  /**
   * Requests that may hold a slot at once, an integer of 1 or more. Larger: more parallel work, and
   * more memory and latency when all of it is slow. No gate at all is `mode: "off"`, not 0.
   */
  readonly maxInFlight: number;
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
   * What a refused client is told to wait, an integer of 1 or more. A hint: a gate cannot know.
   *
   * @defaultValue 1000
   */
  readonly retryAfterMs?: Milliseconds;
  /**
   * Called with each enforced rejection; the place for an approved degraded answer. What it
   * returns, unless `undefined`, is the `degraded` of the verdict, for whoever renders it. It stays
   * a rejection. Must be quick and synchronous: what it throws is dropped, and so is a promise.
   */
  readonly onReject?: (rejected: GateRejected) => unknown;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /** Draws for `enforceRatio`. @defaultValue the system's randomness */
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
export interface GateConfig {
  readonly initial: SettingsState;
  readonly retryAfterMs: Milliseconds;
  readonly onReject: ((rejected: GateRejected) => unknown) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder | undefined;
  readonly name: string;
}

const otherNames = ["retryAfterMs", "onReject", "clock", "random", "recorder", "name"] as const;

/** @throws InvalidOptionsError listing every problem. */
export function parseGateOptions(given: GateOptions): GateConfig {
  const problems = new Problems("gate options");
  const options = new OptionsReader(given, [...settingNames, ...otherNames], problems);
  const config: GateConfig = {
    initial: readSettings(options, problems),
    retryAfterMs: options.integer("retryAfterMs", { min: 1, fallback: 1000 }),
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
