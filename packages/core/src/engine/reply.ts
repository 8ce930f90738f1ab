import type { CheckLimit, Milliseconds } from "../limit/limit";
import type { DescriptorKey } from "./command";

/** Where one check stands: one per limit of a command, target by target. */
export interface CheckReply {
  /** Whether this limit alone would let the question pass. */
  readonly passes: boolean;
  /** Units in use after the command. */
  readonly used: number;
  readonly resetAfterMs: Milliseconds;
  /**
   * Exact wait of a check that does not pass; `undefined` where it passes, is unknown, or no wait
   * helps.
   */
  readonly retryAfterMs: Milliseconds | undefined;
  /** The instant, bucket or lease expiry that was charged; `undefined` if nothing was. */
  readonly chargedAt: number | undefined;
  /** The identity of the state that was charged. */
  readonly serial: number;
  /** Of a unit of a pool: what the asking class has used of it after the command. */
  readonly classUsed?: number;
}

/** A limit whose stored state was of another kind, unit or window, and was not used. */
export interface ReplacedState extends DescriptorKey {
  readonly limit: string;
}

/** Reply to `admit`. */
export interface AdmitReply {
  readonly admitted: boolean;
  readonly checks: readonly CheckReply[];
  /** Absent when nothing was replaced, which is nearly always. */
  readonly replaced?: readonly ReplacedState[];
  /**
   * Checks of which nothing is known, by their places: one of the others has refused, and what
   * these are about could not be asked any more. Absent when all are known.
   */
  readonly unknown?: readonly number[];
  /** The operation was undone before it arrived: nothing was judged or charged. */
  readonly undone?: true;
  /** See {@link PeekReply.localParts}. */
  readonly localParts?: readonly CheckLimit[];
}

/** Reply to `peek`. */
export interface PeekReply {
  readonly admitted: boolean;
  readonly checks: readonly CheckReply[];
  /**
   * Present if memory of this process answered, because the store was away: its part of the limit
   * of each check, by which that was judged. Stores never set it.
   */
  readonly localParts?: readonly CheckLimit[];
}

/**
 * What became of a lease: prolonged; expired, so that its slot may be another's (`lost`); or
 * missing before its time, as after a loss of data, and entered again (`adopted`).
 */
export type LeaseFate = "renewed" | "lost" | "adopted";

/** Reply to `renew`: one entry per lease, target by target. */
export interface RenewReply {
  readonly leases: readonly RenewedLease[];
}

/** What became of one lease. */
export interface RenewedLease {
  readonly fate: LeaseFate;
  /** The new expiry in store time; meaningless when lost. */
  readonly expiresAtMs: Milliseconds;
}

/** Reply to `undo`: per target, whether a charge was found and taken back. */
export interface UndoReply {
  readonly undone: readonly boolean[];
}

/** Reply to `settle`, `release` and `reset`, which have nothing to say. */
export interface DoneReply {
  readonly done: true;
}
