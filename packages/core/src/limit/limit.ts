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

/**
 * What a class does once a pool is saturated: `strict` keeps it to its guaranteed amount; `lend`
 * lets it use what the others are not going to need any more in this window.
 */
export type WhenSaturated = "strict" | "lend";

/** Made by {@link priorityPool}. One window; a ceiling per unit, divided among classes. */
export interface PriorityPoolLimit {
  readonly kind: "priority-pool";
  /** Identity of the pool inside its descriptor. */
  readonly name: string;
  readonly mode: LimitMode;
  readonly windowMs: Milliseconds;
  /** The ceiling of each unit. */
  readonly capacity: Readonly<Record<string, number>>;
  /** The classes in the order of the shares; the last one is `default`. */
  readonly classes: readonly string[];
  /** For each unit the amount that each class, in the order of `classes`, is guaranteed. */
  readonly guaranteed: Readonly<Record<string, readonly number[]>>;
  /** Up to this part of the capacity of a unit only the capacity binds: 0 to 1. */
  readonly saturationThreshold: number;
  readonly whenSaturated: WhenSaturated;
}

/**
 * One unit of a pool, asked by one class: what a question makes of a {@link PriorityPoolLimit}, so
 * that each unit is a check of its own. Those of one pool have one name and one state.
 */
export interface PoolUnitLimit extends LimitBase {
  readonly kind: "pool-unit";
  readonly windowMs: Milliseconds;
  /** All units of the pool, joined by commas. */
  readonly units: string;
  /** The ceilings of those. */
  readonly maxes: readonly number[];
  /** Place of the unit among those, from 0. */
  readonly place: number;
  /** The threshold in parts per 10 000. */
  readonly thresholdParts: number;
  /** ⌊threshold × `max`⌋: with no more than this in use, only the capacity binds. */
  readonly free: number;
  /** ⌈threshold × `max`⌉: with less than this in use, a cost of 0 passes. */
  readonly freeForNone: number;
  readonly whenSaturated: WhenSaturated;
  readonly classes: readonly string[];
  readonly guaranteed: readonly number[];
  /** For each class what the threshold takes of its claim: ⌈threshold × amount × `windowMs`⌉. */
  readonly skipped: readonly number[];
  /** Place in `classes` of the class that asks; -1 for what belongs to none. */
  readonly ownClass: number;
}

/** One ceiling for one unit: plain, frozen data made by one of the constructors. */
export type Limit =
  | FixedWindowLimit
  | SlidingWindowLimit
  | SlidingLogLimit
  | TokenBucketLimit
  | ConcurrencyLimit;

/** What may stand in a descriptor. */
export type DescriptorLimit = Limit | PriorityPoolLimit;

/** What a check asks: a limit, or one unit of a pool. */
export type CheckLimit = Limit | PoolUnitLimit;
