import type { Milliseconds } from "../limit/limit";
import type { Outcome } from "../verdict/outcome";

/** What is learnt from one request that has ended, or, for a stream, has sent its first byte. */
export interface LimitSample {
  /** From its start (not its arrival: the wait in a queue is no part) to its end or first byte. */
  readonly latencyMs: Milliseconds;
  /** Requests in flight when it started, itself included. */
  readonly inFlight: number;
  readonly outcome: Outcome;
}

/**
 * A concurrency limit that finds its value by itself. It only estimates: a gate, or whoever holds
 * it, counts what is in flight, enforces {@link AdaptiveLimit.limit}, and tells it what happened.
 */
export interface AdaptiveLimit {
  /** Requests that may be in flight now: an integer of 1 or more. */
  readonly limit: number;
  /**
   * The latency that it takes for that of requests that do not wait, in milliseconds. Absent or
   * `undefined` if its algorithm has none (`aimd`), or none yet. For charts.
   */
  readonly baselineMs?: Milliseconds | undefined;
  /**
   * The ratio of that to the latest latency that was looked at: about 1 if nothing waits, 0.5 if
   * half of the time is waiting. Absent or `undefined` as above. For charts.
   */
  readonly gradient?: number | undefined;
  /** Takes a sample. Never throws, whatever the numbers are. */
  onSample(sample: LimitSample): void;
  /** Notes that a request found no room, and waits or is refused: there is demand for more. */
  onFull(): void;
  /**
   * Whether one request may start beyond the limit, so that recovery is noticed: at the floor, once
   * a second. True takes the start; who asks must then start the request.
   */
  takeProbe(): boolean;
  /** Calls `listener` after `limit` has changed. Returns what ends that. */
  onChange(listener: () => void): () => void;
  /**
   * Holds the limit where it is until {@link AdaptiveLimit.unfreeze}; if it is lower for a moment,
   * to measure, where it was before. Learning goes on.
   */
  freeze(): void;
  /** Ends `freeze` and `useStatic`: the limit follows the estimate again. */
  unfreeze(): void;
  /**
   * Enforces a fixed number, an integer of 1 or more, until {@link AdaptiveLimit.unfreeze}.
   *
   * @throws InvalidOptionsError on any other number.
   */
  useStatic(limit: number): void;
}
