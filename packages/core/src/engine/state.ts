import type {
  CheckLimit,
  ConcurrencyLimit,
  FixedWindowLimit,
  Milliseconds,
  PoolUnitLimit,
  SlidingLogLimit,
  SlidingWindowLimit,
  TokenBucketLimit,
} from "../limit/limit";

/**
 * The state of a descriptor is a chain of the states of its limits, each found by the limit's name;
 * `null` is the empty state. A chain instead of a table keeps a descriptor with one limit in a
 * single object (see docs/decisions/0005).
 *
 * All states are immutable. `limit` is the limit that wrote the state last: its name, unit and
 * window say what the numbers mean, its `max` how full it was. `serial` is the identity of what was
 * opened: a refund counts only while the state still carries the serial that was charged, so a
 * window that was reset, evicted or replaced is never credited with another one's charge.
 */
export type DescriptorState = LimitState | null;

/** One counter, and when it opened. */
export interface FixedWindowState {
  readonly limit: FixedWindowLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly startMs: Milliseconds;
  readonly used: number;
}

/**
 * `buckets` + 1 counters, the newest first; `newest` is the index of that bucket since the epoch.
 */
export interface SlidingWindowState {
  readonly limit: SlidingWindowLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly newest: number;
  readonly counts: readonly number[];
}

/** Instants with a charge, the oldest first, and how much was charged at each. */
export interface SlidingLogState {
  readonly limit: SlidingLogLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly instantsMs: readonly Milliseconds[];
  readonly costs: readonly number[];
}

/**
 * Units missing from the bucket at an instant; `remainder` / `perMs` of the next one is back. More
 * than the capacity is debt.
 */
export interface TokenBucketState {
  readonly limit: TokenBucketLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly used: number;
  readonly atMs: Milliseconds;
  readonly remainder: number;
}

/** Leases by id, in the order in which they expire. */
export interface ConcurrencyState {
  readonly limit: ConcurrencyLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly ids: readonly string[];
  readonly expiriesMs: readonly Milliseconds[];
}

/**
 * One window of a pool: use per unit, in the order of `limit.units`, and the classes that have been
 * charged. `limit` is one of the pool's units.
 */
export interface PoolState {
  readonly limit: PoolUnitLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly startMs: Milliseconds;
  readonly used: readonly number[];
  readonly classes: readonly PoolClass[];
}

/** What one class has had of each unit, and how far its claim is used up, in unit-milliseconds. */
export interface PoolClass {
  readonly name: string;
  readonly used: readonly number[];
  readonly spent: readonly number[];
}

/** What one operation charged to this descriptor, or (`null`) that it must not charge any more. */
export interface OperationRecord {
  readonly id: string;
  readonly expiresAtMs: Milliseconds;
  readonly charges: readonly RecordedCharge[] | null;
}

/**
 * A charge of an operation to the limit of this name, or the unit of a pool (`name#unit`); leases
 * and counters are told apart.
 */
export interface RecordedCharge {
  readonly name: string;
  readonly isSlot: boolean;
  readonly amount: number;
  readonly chargedAt: number;
  readonly serial: number;
}

/** The pseudo limit under which the records of undoable operations stand in the chain. */
export interface OperationsLimit {
  readonly kind: "operations";
  /** Not a name that a limit can have. */
  readonly name: "#operations";
}

export interface OperationsState {
  readonly limit: OperationsLimit;
  readonly next: DescriptorState;
  readonly serial: number;
  readonly records: readonly OperationRecord[];
}

/** The state of one limit (or of the operation records) of one descriptor. */
export type LimitState =
  | FixedWindowState
  | SlidingWindowState
  | SlidingLogState
  | TokenBucketState
  | ConcurrencyState
  | PoolState
  | OperationsState;

/** The state that belongs to a kind of limit. */
export type StateOf<L extends CheckLimit | OperationsLimit> = Extract<
  LimitState,
  { readonly limit: { readonly kind: L["kind"] } }
>;
