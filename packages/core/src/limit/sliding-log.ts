import type { Milliseconds, SlidingLogLimit } from "./limit";
import {
  type CommonLimitOptions,
  durationText,
  LimitReader,
  type UnitOption,
} from "./limit-options";

/** Options of {@link slidingLog}. */
export interface SlidingLogOptions extends CommonLimitOptions, UnitOption {
  /** The ceiling for any interval of `windowMs`: 0 to 1 000. 0 admits nothing. */
  readonly max: number;
  /** Length of the window: 1 ms to 100 years. */
  readonly windowMs: Milliseconds;
}

/**
 * The log keeps one entry per instant with a charge, at most `max` of them, and every charge copies
 * it: 1 000 entries are about 16 kB and a few microseconds. Above that `slidingWindow` is the tool.
 */
export const SLIDING_LOG_MAX = 1000;

/**
 * The instants and costs of what was admitted. Exact: never more than `max` units in any interval
 * of
 * `windowMs`, and each unit comes back after exactly `windowMs`. Memory grows with `max`, which is
 * refused above 1 000.
 *
 * @throws InvalidOptionsError listing every bad option.
 */
export function slidingLog(options: SlidingLogOptions): SlidingLogLimit {
  const read = new LimitReader("slidingLog", options, ["unit", "max", "windowMs"]);
  const unit = read.unit();
  const windowMs = read.durationMs("windowMs");
  return read.done({
    kind: "sliding-log",
    name: read.name(`sliding-log-${unit}-${durationText(windowMs)}`),
    unit,
    max: read.options.integer("max", { min: 0, max: SLIDING_LOG_MAX }),
    windowMs,
    mode: read.mode(),
  });
}
