import type { Milliseconds } from "../limit/limit";

/**
 * Why an adaptive limit has changed.
 *
 * - `headroom`: there was demand, and nothing was in the way of more;
 * - `queueing`: latency says that requests wait behind each other;
 * - `loss`: requests were dropped: timed out, or refused by an overloaded other side;
 * - `measuring`: taken down for a moment, to learn the latency without a queue;
 * - `measured`: back from that;
 * - `static`: set by hand (`useStatic`);
 * - `released`: back to the estimate (`unfreeze`).
 */
export type LimitChangeReason =
  | "headroom"
  | "queueing"
  | "loss"
  | "measuring"
  | "measured"
  | "static"
  | "released";

/** An adaptive limit has another value. */
export interface LimitChangedEvent {
  readonly type: "limit_changed";
  /** The name of the limit. */
  readonly limit: string;
  /** The key of the upstream that it is of, as one text; absent elsewhere. */
  readonly upstream?: string;
  readonly from: number;
  readonly to: number;
  readonly reason: LimitChangeReason;
}

/**
 * An adaptive limit does not settle, or has nothing left to give: somebody should look. At most
 * once a minute per cause.
 *
 * - `oscillating`: within 60 s it turned six times, each time after a swing of a fifth or more;
 *   measuring does not count;
 * - `at_floor`: for 30 s it has been at its floor while there was demand for more.
 */
export interface LimitUnstableEvent {
  readonly type: "limit_unstable";
  readonly limit: string;
  /** The key of the upstream that it is of, as one text; absent elsewhere. */
  readonly upstream?: string;
  readonly cause: "oscillating" | "at_floor";
  /** The value at this moment. */
  readonly value: number;
  /** How long it has been so; for `oscillating`, since the first of the six turns. */
  readonly forMs: Milliseconds;
}
