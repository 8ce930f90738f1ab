/** A duration or an instant in integer milliseconds. */
export type Milliseconds = number;

/** Whether a limit refuses (`enforce`) or only reports what it would have refused (`shadow`). */
export type LimitMode = "enforce" | "shadow";

/**
 * When a fixed window opens: at the first charge, or at multiples of the window since the epoch.
 */
export type WindowAnchor = "first-request" | "epoch";

interface LimitBase {
  /** Identity of the limit inside its descriptor. */
  readonly name: string;
  /** What the limit counts: a unit that the limiter declares, or `slots` for `concurrency`. */
  readonly unit: string;
  /** The ceiling in units. An argument of every question, not state. `0` admits nothing. */
  readonly max: number;
  readonly mode: LimitMode;
}

/** Made by {@link fixedWindow}. */
export interface FixedWindowLimit extends LimitBase {
  readonly kind: "fixed-window";
  readonly windowMs: Milliseconds;
  readonly anchor: WindowAnchor;
}

/** Made by {@link slidingWindow}. */
export interface SlidingWindowLimit extends LimitBase {
  readonly kind: "sliding-window";
  readonly windowMs: Milliseconds;
  readonly buckets: number;
}

/** Made by {@link slidingLog}. */
export interface SlidingLogLimit extends LimitBase {
  readonly kind: "sliding-log";
  readonly windowMs: Milliseconds;
}

/** Made by {@link tokenBucket}. Its `max` is the capacity. */
export interface TokenBucketLimit extends LimitBase {
  readonly kind: "token-bucket";
  /** Units that come back every `perMs`. */
  readonly refill: number;
  readonly perMs: Milliseconds;
}

/** Made by {@link concurrency}. Its unit is `slots`, its cost always 1. */
export interface ConcurrencyLimit extends LimitBase {
  readonly kind: "concurrency";
  readonly unit: "slots";
  readonly leaseMs: Milliseconds;
  readonly maxHoldMs: Milliseconds;
}

/** One ceiling: plain, frozen data made by one of the constructors. */
export type Limit =
  | FixedWindowLimit
  | SlidingWindowLimit
  | SlidingLogLimit
  | TokenBucketLimit
  | ConcurrencyLimit;
