import type { Milliseconds } from "../limit/limit";

/** One observation for an algorithm: of one request, or of a whole window. */
export interface AlgorithmSample {
  /** When it was made. Never before that of the sample that came earlier. */
  readonly nowMs: Milliseconds;
  /** 0 or more and finite; 0 if it took less than the clock can tell. */
  readonly latencyMs: Milliseconds;
  /** Requests in flight when it started, itself included: 1 or more. */
  readonly inFlight: number;
  /** Whether it ended by a time-out or an overload of the other side. */
  readonly dropped: boolean;
  /** Whether somebody found no room since the sample before. */
  readonly full: boolean;
}

/** Why an algorithm holds the number that it holds. */
export type AlgorithmReason =
  /** Nothing has moved it yet. */
  | "initial"
  /** Latency leaves room, or the samples ended well. */
  | "headroom"
  /** Latency says that requests wait. */
  | "queueing"
  /** Requests were dropped. */
  | "loss"
  /** It is taken lower for a moment, to measure the latency without a queue. */
  | "measuring"
  /** That moment is over, and it is back where it was. */
  | "measured";

/**
 * The estimate of an adaptive limit: a state machine that is fed with samples and holds a number.
 * It reads no clock, starts no timer and enforces nothing; see {@link adaptiveLimit} for what does.
 */
export interface LimitAlgorithm {
  /** Names it in events and charts. */
  readonly name: string;
  /** The estimate: finite, 1 or more, not always an integer. */
  readonly limit: number;
  /** Why {@link LimitAlgorithm.limit} is what it is. */
  readonly reason: AlgorithmReason;
  /**
   * Whether it answers drops itself. One that does not must be told by {@link LimitAlgorithm.hold}.
   */
  readonly usesDrops: boolean;
  /**
   * The latency that it compares with, in milliseconds: what it takes for that of requests that do
   * not wait. Absent or `undefined` where there is none, or none yet. For charts.
   */
  readonly baselineMs?: Milliseconds | undefined;
  /**
   * The latest ratio that it reckoned with, baseline to latency: 1 and above nothing waits, 0.5
   * half of the time is waiting. Each algorithm bounds it as it is published. Absent or `undefined`
   * as above. For charts.
   */
  readonly gradient?: number | undefined;
  /** Takes a sample; it must not be kept, since its maker may use the object again. */
  onSample(sample: AlgorithmSample): void;
  /** Takes the estimate to `limit`, since what is enforced may not follow it further. */
  hold(limit: number): void;
}
