import type { Outcome, Reason } from "@sluice/core";

/** One attempt of a request, as the door sees it. */
export interface Visitor {
  readonly class: string | undefined;
  readonly fairnessKey: string | undefined;
  /** Patience for this attempt in milliseconds; `Infinity` if it has no end. */
  readonly patienceMs: number;
  /** The name of its source. */
  readonly source: string;
  /** What the door remembers of it. */
  pass: unknown;
  /** May be called inside `enter`, or later. */
  onAdmitted(): void;
  onRejected(reason: Reason): void;
  /** The door itself is broken, or was asked wrongly: the run ends with this error. */
  onFailed(error: unknown): void;
}

/** What stands before the simulated server: an adaptive limit, a gate or a limiter. */
export interface Door {
  /** The concurrency that it allows now; `NaN` if it has no such number. */
  readonly limit: number;
  /** Admitted and not ended, or, if held until the first byte, without it. */
  readonly inFlight: number;
  enter(visitor: Visitor): void;
  firstByte(visitor: Visitor): void;
  /** Once for every admitted visitor. */
  end(visitor: Visitor, outcome: Outcome): void;
}
