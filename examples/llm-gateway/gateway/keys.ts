import { concurrency, fixedWindow, type Limit } from "@sluice/core";
import type { GatewaySettings } from "./gateway-settings";

/** What a key may use. */
export interface KeyTerms {
  readonly limits: readonly Limit[];
  /** Its class where a model's capacity is shared; without one the key does not share in it. */
  readonly priority?: string;
}

/** The terms of each known key. */
export type Keys = ReadonlyMap<string, KeyTerms>;

/**
 * Six keys: `sk-open` has no limits, `sk-slots` may have few requests in flight at once,
 * `sk-budget` has 10 requests and 1000 tokens per window, and `sk-large` has all of these limits,
 * large enough for any test. `sk-interactive` and `sk-batch` share the capacity of the models.
 */
export function exampleKeys(
  settings: Pick<GatewaySettings, "slots" | "leaseMs" | "windowMs">,
): Keys {
  const { slots, leaseMs, windowMs } = settings;
  return new Map<string, KeyTerms>([
    ["sk-open", { limits: [] }],
    [
      "sk-slots",
      {
        limits: [
          concurrency({ max: slots, leaseMs, name: "max_parallel_requests" }),
          fixedWindow({ unit: "requests", max: 1_000_000, windowMs }),
        ],
      },
    ],
    [
      "sk-budget",
      {
        limits: [
          fixedWindow({ unit: "requests", max: 10, windowMs, name: "requests" }),
          fixedWindow({ unit: "tokens", max: 1000, windowMs, name: "tokens" }),
        ],
      },
    ],
    [
      "sk-large",
      {
        limits: [
          concurrency({ max: 1000, name: "max_parallel_requests" }),
          fixedWindow({ unit: "requests", max: 1_000_000, windowMs }),
          fixedWindow({ unit: "tokens", max: 900_000, windowMs }),
        ],
      },
    ],
    ["sk-interactive", { limits: [], priority: "interactive" }],
    ["sk-batch", { limits: [], priority: "batch" }],
  ]);
}
