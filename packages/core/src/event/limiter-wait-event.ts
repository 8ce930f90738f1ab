import type { Milliseconds } from "../limit/limit";
import type { Reason } from "../verdict/verdict";

/** A question that a limit refused began to wait (`maxWaitMs`). */
export interface LimiterWaitBeganEvent {
  readonly type: "limiter_wait_began";
  /** The kind of the descriptor, and the limit, that it waits for. */
  readonly kind: string;
  readonly limit: string;
  /** The class in which it waits: of a pool, else `default`. */
  readonly class: string;
  /** Questions that wait in this limiter, itself included. */
  readonly queued: number;
}

/** A wait has ended, with a permit or without. */
export interface LimiterWaitEndedEvent {
  readonly type: "limiter_wait_ended";
  /** What it waited for in the end. */
  readonly kind: string;
  readonly limit: string;
  readonly admitted: boolean;
  /** Why it was refused after all. */
  readonly reason?: Reason;
  readonly waitedMs: Milliseconds;
  /** Questions that still wait in this limiter. */
  readonly queued: number;
}
