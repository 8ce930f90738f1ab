import type { FixedWindowLimit, Milliseconds, WindowAnchor } from "./limit";
import {
  type CommonLimitOptions,
  durationText,
  LimitReader,
  type UnitOption,
} from "./limit-options";

/** Options of {@link fixedWindow}. */
export interface FixedWindowOptions extends CommonLimitOptions, UnitOption {
  /** The ceiling per window: an integer of 0 or more. 0 admits nothing. */
  readonly max: number;
  /** Length of a window: 1 ms to 100 years. */
  readonly windowMs: Milliseconds;
  /**
   * `first-request` opens a window at the first charge, so callers spread by themselves; `epoch`
   * opens windows at multiples of `windowMs` since 1970, so all callers roll together.
   *
   * @defaultValue "first-request"
   */
  readonly anchor?: WindowAnchor;
}

/**
 * A counter per window. At most `max` units per window; **up to 2 × `max`** in an interval of
 * `windowMs` that lies across the boundary of two windows.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks The cheapest limit. `anchor: "first-request"` is the window of LiteLLM's limiter and of
 * express-rate-limit; `epoch` is that of Envoy's rate limit service.
 */
export function fixedWindow(options: FixedWindowOptions): FixedWindowLimit {
  const read = new LimitReader("fixedWindow", options, ["unit", "max", "windowMs", "anchor"]);
  const unit = read.unit();
  const windowMs = read.durationMs("windowMs");
  return read.done({
    kind: "fixed-window",
    name: read.name(`fixed-window-${unit}-${durationText(windowMs)}`),
    unit,
    max: read.options.integer("max", { min: 0 }),
    windowMs,
    anchor: read.options.oneOf("anchor", ["first-request", "epoch"], "first-request"),
    mode: read.mode(),
  });
}
