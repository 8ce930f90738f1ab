/** A limit as the checker knows it: numbers only, in milliseconds. */
export type LimitFacts =
  | { readonly kind: "fixed-window"; readonly max: number; readonly windowMs: number }
  | { readonly kind: "sliding-window"; readonly max: number; readonly buckets: number }
  | { readonly kind: "sliding-log"; readonly max: number; readonly windowMs: number }
  | {
      readonly kind: "token-bucket";
      readonly max: number;
      readonly refill: number;
      readonly perMs: number;
    }
  | { readonly kind: "concurrency"; readonly max: number };

/** One limit of one descriptor. The same text for the same limit, whoever asks. */
export interface LimitName {
  readonly key: string;
  readonly limit: string;
}

/** What a question was told of one limit. */
export interface CheckFacts extends LimitName {
  readonly facts: LimitFacts;
  readonly cost: number;
  readonly used: number;
  readonly resetAfterMs: number;
  /**
   * What was charged: a window's start, a bucket's index since the epoch, an instant, or the end of
   * a lease; nothing if nothing was.
   */
  readonly chargedAt?: number;
}

/** When a call was made and answered, by the clock of the machine that all processes share. */
interface Span {
  readonly invokedMs: number;
  readonly returnedMs: number;
}

/** A question. `info`: nobody knows whether it was charged. */
export interface AdmitRecord extends Span {
  readonly type: "admit";
  readonly id: string;
  readonly outcome: "admitted" | "refused" | "info";
  readonly checks: readonly CheckFacts[];
  /** The caller had waited as long as it was told, and was alone. */
  readonly isRetry?: true;
}

/** What a permit gave back (`by` below 0) or turned out to have used; as often as it was sent. */
export interface CorrectRecord extends Span {
  readonly type: "correct";
  /** Of the question. */
  readonly id: string;
  readonly outcome: "ok" | "info";
  readonly changes: readonly Change[];
}

/** By how much one limit was corrected. */
export interface Change extends LimitName {
  readonly by: number;
  /** Whether the question had charged it at all: one of cost 0 may turn out to have used some. */
  readonly isCharged: boolean;
}

/** The slots of a question were given back. */
export interface FreeRecord extends Span {
  readonly type: "free";
  readonly id: string;
  readonly outcome: "ok" | "info";
  readonly slots: readonly LimitName[];
}

export type HistoryRecord = AdmitRecord | CorrectRecord | FreeRecord;

/** What is stored when everything has come to rest. */
export interface FinalState {
  readonly counters: readonly FinalCounter[];
  /** Milliseconds that each key has to live; -1 for ever. */
  readonly timesToLive: readonly { readonly key: string; readonly ttlMs: number }[];
}

/** What one limit counts in the end: of its newest window, or live leases. */
export interface FinalCounter extends LimitName {
  readonly used: number;
}

/** Something that must not be. */
export interface Violation {
  /** `I1` to `I11`. */
  readonly invariant: string;
  readonly what: string;
}

/** One text for one limit. */
export function textOf({ key, limit }: LimitName): string {
  return `${key} ${limit}`;
}
