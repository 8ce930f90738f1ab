import type { AdaptiveLimit } from "./adaptive-limit";
import { type AdaptiveLimitOptions, parseAdaptiveLimitOptions } from "./adaptive-limit-options";
import { EnforcedLimit } from "./enforced-limit";

/**
 * A concurrency limit that finds its value by itself, from the latency and the outcome of what it
 * lets in. For `maxInFlight` of a gate and for upstreams; it needs no timer and no number.
 *
 * @throws InvalidOptionsError listing every bad option.
 */
export function adaptiveLimit(options: AdaptiveLimitOptions = {}): AdaptiveLimit {
  return new EnforcedLimit(parseAdaptiveLimitOptions(options));
}
