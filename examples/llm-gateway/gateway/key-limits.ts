import { concurrency, fixedWindow, type Limit } from "@sluice/core";
import type { GatewaySettings } from "./gateway-settings";

/** What each known key may use. */
export type KeyLimits = ReadonlyMap<string, readonly Limit[]>;

/**
 * Four keys: `sk-open` has no limits, `sk-slots` may have few requests in flight at once,
 * `sk-budget` has 10 requests and 1000 tokens per window, and `sk-large` has all of these limits,
 * large enough for any test.
 */
export function keyLimits(
  settings: Pick<GatewaySettings, "slots" | "leaseMs" | "windowMs">,
): KeyLimits {
  const { slots, leaseMs, windowMs } = settings;
  return new Map<string, readonly Limit[]>([
    ["sk-open", []],
    [
      "sk-slots",
      [
        concurrency({ max: slots, leaseMs, name: "max_parallel_requests" }),
        fixedWindow({ unit: "requests", max: 1_000_000, windowMs }),
      ],
    ],
    [
      "sk-budget",
      [
        fixedWindow({ unit: "requests", max: 10, windowMs, name: "requests" }),
        fixedWindow({ unit: "tokens", max: 1000, windowMs, name: "tokens" }),
      ],
    ],
    [
      "sk-large",
      [
        concurrency({ max: 1000, name: "max_parallel_requests" }),
        fixedWindow({ unit: "requests", max: 1_000_000, windowMs }),
        fixedWindow({ unit: "tokens", max: 900_000, windowMs }),
      ],
    ],
  ]);
}
