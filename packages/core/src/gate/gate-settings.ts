import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";
import type { GateSettings, GateUpdate } from "./gate";

/** The names that `createGate` and `update` share. */
export const settingNames = ["maxInFlight", "queue", "mode", "enforceRatio"] as const;

/** Settings, and whether the size of the queue was said or is the default that follows the cap. */
export interface SettingsState {
  readonly settings: GateSettings;
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
  const maxInFlight = options.integer("maxInFlight", {
    min: 1,
    ...(before && { fallback: before.maxInFlight }),
  });
  const queue = options.isGiven("queue")
    ? new OptionsReader(options.raw("queue"), ["max", "timeoutMs"], problems, "queue")
    : new OptionsReader({}, [], problems);
  const isQueueSizeGiven = queue.isGiven("max") || (current?.isQueueSizeGiven ?? false);
  const queueMaxBefore = current?.isQueueSizeGiven ? current.settings.queue.max : maxInFlight;
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
  });
  return { settings, isQueueSizeGiven };
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
