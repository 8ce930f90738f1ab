import type { Milliseconds, SlidingWindowLimit } from "./limit";
import {
  type CommonLimitOptions,
  durationText,
  LimitReader,
  type UnitOption,
} from "./limit-options";

/** Options of {@link slidingWindow}. */
export interface SlidingWindowOptions extends CommonLimitOptions, UnitOption {
  /** The ceiling for any interval of `windowMs`: an integer of 0 or more. 0 admits nothing. */
  readonly max: number;
  /** Length of the window: 1 ms to 100 years, divisible by `buckets`. */
  readonly windowMs: Milliseconds;
  /**
   * Into how many counters the window is cut: 1 to 100. More give capacity back sooner and cost
   * memory and time in proportion.
   *
   * @defaultValue 10
   */
  readonly buckets?: number;
}

/** Bounds the state of one limit to 101 counters. */
const BUCKETS_MAX = 100;

/**
 * Sub-window counters. Never more than `max` units in **any** interval of `windowMs`. Capacity
 * comes back up to one bucket (`windowMs / buckets`) late, so sustained throughput is between
 * `buckets / (buckets + 1)` of the rate (with 10 buckets: 91 %) and the full rate.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks `buckets` + 1 counters are summed, as in Figma's limiter but on the strict side. The
 * two-counter estimate of Cloudflare is smaller and not a hard cap (up to 1.99 × `max`).
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowLimit {
  const read = new LimitReader("slidingWindow", options, ["unit", "max", "windowMs", "buckets"]);
  const unit = read.unit();
  const problemsBefore = read.problemCount;
  const windowMs = read.durationMs("windowMs");
  const buckets = read.options.integer("buckets", { min: 1, max: BUCKETS_MAX, fallback: 10 });
  if (read.problemCount === problemsBefore && windowMs % buckets !== 0) {
    read.options.problem("windowMs", `a multiple of buckets (${buckets})`);
  }
  return read.done({
    kind: "sliding-window",
    name: read.name(`sliding-window-${unit}-${durationText(windowMs)}`),
    unit,
    max: read.options.integer("max", { min: 0 }),
    windowMs,
    buckets,
    mode: read.mode(),
  });
}
