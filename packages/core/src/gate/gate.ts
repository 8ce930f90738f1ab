import type { Milliseconds } from "../limit/limit";
import type { Reason, Rejected, Verdict } from "../verdict/verdict";

/** How a request ended, for the gate's statistics and (later) its adaptive limit. */
export type Outcome = "success" | "dropped" | "ignored";

/** What a request holds while it is in flight. Give it back exactly once with `end`. */
export interface GatePermit {
  /** Milliseconds that the request waited in the queue; 0 if it started at once. */
  readonly waitedMs: Milliseconds;
  /** Marks the first byte of the answer; the first call counts. Never throws. */
  firstByte(): void;
  /**
   * Gives the slot back. The first call wins, later ones do nothing. Never throws.
   *
   * @defaultValue outcome `success`
   */
  end(outcome?: Outcome): void;
}

/** What a caller may say when it enters. */
export interface EnterOptions {
  /** Aborting while queued leaves the queue at once (`aborted`). */
  readonly signal?: AbortSignal;
  /** Milliseconds the caller has left for its whole answer; may be 0 or less (its time is over). */
  readonly deadlineMs?: Milliseconds;
}

/** The numbers of a gate at one instant. */
export interface GateStats {
  /** Requests that hold a slot (in shadow mode also those that would have been refused). */
  readonly inFlight: number;
  /** Requests that wait. */
  readonly queued: number;
  /** Requests let in since the gate was made. */
  readonly admitted: number;
  /** Requests refused since the gate was made, in total and by reason. */
  readonly rejected: number;
  readonly rejectedByReason: Readonly<Partial<Record<Reason, number>>>;
  /** Requests let in although the gate would have refused: shadow mode or the enforce ratio. */
  readonly shadowRejected: number;
}

/** Settings that can be changed while the gate runs. */
export interface GateSettings {
  readonly maxInFlight: number;
  readonly queue: { readonly max: number; readonly timeoutMs: Milliseconds };
  readonly mode: "enforce" | "shadow" | "off";
  readonly enforceRatio: number;
}

/** A refusal by a gate with the counts at that moment (the refused request is in neither). */
export interface GateRejected extends Rejected {
  readonly inFlight: number;
  readonly queued: number;
}

/** The answer of a gate. */
export type GateVerdict = Extract<Verdict<GatePermit>, { admitted: true }> | GateRejected;

/** The door of one process: a cap on requests in flight and a bounded queue before it. */
export interface Gate {
  /** Lets the request in, now or after a wait, or refuses it. Never rejects because of load. */
  enter(options?: EnterOptions): Promise<GateVerdict>;
  /** Refuses newcomers and waiters (`draining`); resolves when the last permit is back. */
  drain(): Promise<void>;
  readonly isDraining: boolean;
  stats(): GateStats;
  readonly settings: GateSettings;
  /**
   * Changes settings while running. Raising the cap wakes waiters at once; lowering it takes effect
   * as work ends.
   *
   * @throws InvalidOptionsError and changes nothing if any value is bad.
   */
  update(settings: GateUpdate): void;
}

/** A partial change of {@link GateSettings}. */
export interface GateUpdate {
  readonly maxInFlight?: number;
  readonly queue?: { readonly max?: number; readonly timeoutMs?: Milliseconds };
  readonly mode?: GateSettings["mode"];
  readonly enforceRatio?: number;
}
