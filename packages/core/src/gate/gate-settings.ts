import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import { capOf, type GivenCap, readCap } from "./adaptive-cap";
import {
  type ClassesState,
  readClasses,
  requireRoomForEach,
  updatedClasses,
} from "./class-settings";
import type { GateSettings, GateUpdate } from "./gate";

/** The names that `createGate` and `update` share. */
export const settingNames = ["maxInFlight", "queue", "mode", "enforceRatio", "classes"] as const;

/** Settings, and what they were made of. */
export interface SettingsState {
  readonly settings: GateSettings;
  /** The limit that finds the cap, if there is one. */
  readonly limit: GivenCap["limit"];
  readonly classes: ClassesState;
  /** Whether the size of the queue was said, or is the default that follows the cap. */
  readonly isQueueSizeGiven: boolean;
}

/**
 * Reads the settings in `options`. What is not given is taken from `current`, or has its default if
 * there is no `current` (`maxInFlight` has none). Problems go where the reader puts them.
 */
export function readSettings(
  options: OptionsReader,
  problems: Problems,
  current?: SettingsState,
): SettingsState {
  const before = current?.settings;
  const { maxInFlight, limit } = readCap(
    options,
    current && { maxInFlight: current.settings.maxInFlight, limit: current.limit },
  );
  const queue = options.isGiven("queue")
    ? new OptionsReader(options.raw("queue"), ["max", "timeoutMs"], problems, "queue")
    : new OptionsReader({}, [], problems);
  const isQueueSizeGiven = queue.isGiven("max") || (current?.isQueueSizeGiven ?? false);
  const queueMaxBefore = current?.isQueueSizeGiven ? current.settings.queue.max : maxInFlight;
  const classes =
    current === undefined
      ? readClasses(options, problems)
      : updatedClasses(options, problems, current.classes);
  const settings: GateSettings = Object.freeze({
    maxInFlight,
    queue: Object.freeze({
      max: queue.integer("max", { min: 0, fallback: queueMaxBefore }),
      timeoutMs: queue.integer("timeoutMs", { min: 1, fallback: before?.queue.timeoutMs ?? 1000 }),
    }),
    mode: options.oneOf("mode", ["enforce", "shadow", "off"], before?.mode ?? "enforce"),
    enforceRatio: options.number("enforceRatio", {
      min: 0,
      max: 1,
      fallback: before?.enforceRatio ?? 1,
    }),
    ...(classes.classes.size > 0 && {
      classes: Object.freeze(Object.fromEntries(classes.classes)),
    }),
  });
  // Of an adaptive cap reservations may be more than it is now: they shrink with it.
  if (limit === undefined && problems.count === 0) {
    requireRoomForEach(classes, maxInFlight, problems);
  }
  return { settings, limit, classes, isQueueSizeGiven };
}

/**
 * The settings after a change; `current` stays as it is.
 *
 * @throws InvalidOptionsError listing everything that is wrong with `update`.
 */
export function updatedSettings(current: SettingsState, update: GateUpdate): SettingsState {
  const problems = new Problems("gate update");
  const options = new OptionsReader(update, settingNames, problems);
  const next = readSettings(options, problems, current);
  problems.throwIfAny();
  return next;
}

/** The settings after the adaptive limit has changed; `current` as it is if it says the same. */
export function followedSettings(current: SettingsState): SettingsState {
  const { settings, limit, isQueueSizeGiven } = current;
  if (limit === undefined) return current;
  const maxInFlight = capOf(limit, settings.maxInFlight);
  if (maxInFlight === settings.maxInFlight) return current;
  const { max, timeoutMs } = settings.queue;
  const queue = Object.freeze({ max: isQueueSizeGiven ? max : maxInFlight, timeoutMs });
  return { ...current, settings: Object.freeze({ ...settings, maxInFlight, queue }) };
}
