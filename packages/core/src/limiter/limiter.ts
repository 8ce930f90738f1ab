import type { LimitStatus, Rejected, Verdict } from "../verdict/verdict";
import type { LimiterPermit } from "./permit";
import type { Question } from "./question";
import type { LimiterStats } from "./waiting/waiting-report";

/** What a question would get now, asked without charging anything. */
export type Peek =
  | { readonly admitted: true; readonly statuses: readonly LimitStatus[] }
  | Rejected;

/** Turns questions into verdicts by asking a store. Made by {@link createLimiter}. */
export interface Limiter {
  /**
   * Judges and charges a whole question in one step: every limit admits and all are charged, or
   * nothing is.
   *
   * @throws InvalidOptionsError (as a rejected promise) if the question is malformed. A full limit
   *   or a failing store is a verdict, never an exception.
   */
  admit(question: Question): Promise<Verdict<LimiterPermit>>;
  /** The verdict that `admit` would give now. Writes nothing. */
  peek(question: Question): Promise<Peek>;
  /**
   * Forgets what was charged to the given descriptors: all their counters, also those of other
   * limits. Live leases stay, since they stand for work that is still running.
   */
  reset(question: Pick<Question, "descriptors">): Promise<void>;
  /**
   * Admits, runs `fn` with the permit, and closes it: by what `fn` noted with `permit.usage`, else
   * released; refunded if `fn` throws and noted nothing.
   *
   * @throws RejectedError if the question was not admitted; whatever `fn` throws.
   */
  run<T>(question: Question, fn: (permit: LimiterPermit) => T | Promise<T>): Promise<T>;
  /** Leases that are being renewed: one per slot of a live permit. */
  readonly heldLeases: number;
  /** What waits for limits in this limiter (`maxWaitMs`), and what has waited. A snapshot. */
  stats(): LimiterStats;
  /**
   * Stops renewing, so that leases still held run out by themselves, and closes the store if the
   * limiter made it. Whoever waits is refused (`draining`). Open permits can still be closed;
   * `admit` answers `store_unavailable` from then on. Idempotent.
   */
  close(): Promise<void>;
}
