import { fixedWindow, type Limit, slidingLog, slidingWindow, tokenBucket } from "@sluice/core";

/** A hundred years without leap days: no window ends while a test runs. */
export const LONG_MS = 3_153_600_000_000;

/** How a limit of each kind is made: `max` units per window, or as capacity. */
export interface CounterKind {
  readonly what: string;
  readonly make: (max: number, windowMs: number, options?: CounterOptions) => Limit;
}

/** What else a limit may be told. */
export interface CounterOptions {
  readonly name?: string;
  readonly unit?: string;
  readonly mode?: "enforce" | "shadow";
}

/** Everything that counts units; slots are apart. */
export const everyCounter: readonly CounterKind[] = [
  {
    what: "fixed window since its first request",
    make: (max, windowMs, options) => fixedWindow({ max, windowMs, ...options }),
  },
  {
    what: "fixed window since the epoch",
    make: (max, windowMs, options) => fixedWindow({ max, windowMs, anchor: "epoch", ...options }),
  },
  {
    what: "sliding window",
    make: (max, windowMs, options) => slidingWindow({ max, windowMs, buckets: 4, ...options }),
  },
  {
    what: "sliding log",
    make: (max, windowMs, options) => slidingLog({ max, windowMs, ...options }),
  },
  {
    what: "token bucket",
    make: (max, windowMs, options) =>
      tokenBucket({ capacity: Math.max(max, 0), refill: 1, perMs: perUnit(windowMs), ...options }),
  },
];

/** A bucket's numbers have to stay integers, so its longest step is a day. */
function perUnit(windowMs: number): number {
  return Math.min(windowMs, 86_400_000);
}
