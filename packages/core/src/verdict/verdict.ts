import type { Descriptor } from "../descriptor/descriptor";
import type { Milliseconds } from "../limit/limit";

/** Who decided: the store, memory of this process while the store is away, or a failure policy. */
export type VerdictSource = "store" | "local" | "policy";

/**
 * Why a request was refused. The order of this list is the order of precedence when several checks
 * are violated at once (see `reasonOrder`).
 */
export type Reason =
  | "cost_exceeds_limit"
  | "store_unavailable"
  | "window_exhausted"
  | "share_exhausted"
  | "concurrency_exhausted"
  | "queue_full"
  | "queue_timeout"
  | "evicted"
  | "deadline_unreachable"
  | "draining"
  | "aborted"
  | "throttled"
  | "retry_budget_exhausted"
  | "paused";

/** Where a pool stands for the class of a question, as far as one unit is concerned. */
export interface PoolStatus {
  /** The class of the question: a named share, or `default`. */
  readonly class: string;
  /** Of this unit the amount that the class is guaranteed per window. */
  readonly guaranteed: number;
  /** Of this unit what the class has used in this window. Not known while the store is away. */
  readonly used: number;
  /** Use divided by capacity, the highest over all units of the pool; above 1 with debts. */
  readonly saturation: number;
  /** On a check that does not pass: what refuses it, the whole capacity or the class's share. */
  readonly ceiling?: "capacity" | "share";
}

/** One row of an answer: where one limit, or one unit of a pool, of one descriptor stands. */
export interface LimitStatus {
  readonly descriptor: Descriptor;
  /** The name of the limit. */
  readonly name: string;
  readonly unit: string;
  readonly max: number;
  /** Units in use after this question. May exceed `max` (a lowered limit, or debt). */
  readonly used: number;
  /** `max - used`, never negative. */
  readonly remaining: number;
  /** Milliseconds until the state is as if nothing had ever been charged; 0 when it is. */
  readonly resetAfterMs: Milliseconds;
  /**
   * Milliseconds until this same cost would pass, if nobody else comes. Only on a violated check
   * whose wait is known: absent when admitted, for slots, and when the cost can never pass.
   */
  readonly retryAfterMs?: Milliseconds;
  /** Whether this check passes. Always true for a shadow limit. */
  readonly admitted: boolean;
  /** On a shadow limit that would have refused. */
  readonly wouldReject?: true;
  readonly source: VerdictSource;
  /** On every unit of a pool. */
  readonly pool?: PoolStatus;
}

/** The payload of a negative verdict. */
export interface Rejection {
  readonly reason: Reason;
  /**
   * How long to wait: exact for windows, logs and buckets, otherwise a hint. Absent if no wait
   * helps.
   */
  readonly retryAfterMs?: Milliseconds;
  /** False if the same question can never pass. */
  readonly retryable: boolean;
  /** The checks that refused, in the order of the question. Empty for refusals by a gate. */
  readonly violated: readonly LimitStatus[];
}

/** A positive verdict with what the caller now holds. */
export interface Admitted<P> {
  readonly admitted: true;
  readonly permit: P;
  readonly statuses: readonly LimitStatus[];
}

/** A negative verdict. A full limit is a value, never an exception. */
export interface Rejected {
  readonly admitted: false;
  readonly rejection: Rejection;
  readonly statuses: readonly LimitStatus[];
}

/** The whole answer for one request. `P` is the permit: of a limiter or of a gate. */
export type Verdict<P> = Admitted<P> | Rejected;
