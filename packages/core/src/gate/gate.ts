import type { AdaptiveLimit } from "../adaptive/adaptive-limit";
import type { Milliseconds } from "../limit/limit";
import type { Outcome } from "../verdict/outcome";
import type { Reason, Rejected, Verdict } from "../verdict/verdict";
import type { GateClassOptions, GateClassSettings } from "./gate-class";

/** What a request holds while it is in flight. Give it back with `end`. */
export interface GatePermit {
  /** Milliseconds that the request waited in the queue; 0 if it started at once. */
  readonly waitedMs: Milliseconds;
  /**
   * Why the gate would have refused the request that it let in, in shadow mode or because of an
   * `enforceRatio` below 1. Absent or `undefined` if it would not have.
   */
  readonly wouldReject?: Reason | undefined;
  /**
   * Marks the first byte of the answer; the first call before `end` counts. Where the cap is an
   * adaptive limit, it learns the time until now as the latency; where slots are held until the
   * first byte, the slot comes back now. Never throws.
   */
  firstByte(): void;
  /**
   * Ends the request and gives its slot back, if the first byte has not. The first call wins, later
   * ones do nothing. The slot goes to whoever has its turn before this returns. Never throws.
   *
   * @defaultValue outcome `success`; what is none of the three counts as `ignored`.
   */
  end(outcome?: Outcome): void;
}

/** What a caller may say when it enters. `C`: the names of the gate's classes. */
export interface EnterOptions<C extends string = string> {
  /**
   * The class of the request, one of the names in `classes` of the gate.
   *
   * @defaultValue the gate's `defaultClass`
   */
  readonly class?: C | undefined;
  /**
   * Whom to be fair to among those that wait in one class: a tenant, a user, an address. Those who
   * say different keys have their turns one after the other, however many wait under each. Requests
   * that say none share one.
   */
  readonly fairnessKey?: string | undefined;
  /**
   * Aborting while queued leaves the queue at once (`aborted`); aborted before, the request is not
   * let in. Aborting afterwards changes nothing: the permit is still to be ended.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds the caller has left for its whole answer. 0 or less: its time is over, and it is
   * refused with `deadline_unreachable` even if a slot is free. `Infinity`: no deadline.
   */
  readonly deadlineMs?: Milliseconds | undefined;
}

/** The numbers of a gate at one instant. */
export interface GateStats<C extends string = string> extends GateCounts {
  /** The same numbers for each class; absent if the gate has no classes. */
  readonly classes?: Readonly<Record<C, GateCounts>>;
}

/** The numbers of a gate, or of one of its classes. */
export interface GateCounts {
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

/** Settings that can be changed while the gate runs. Explained at `GateOptions`. */
export interface GateSettings<C extends string = string> {
  /** The cap in force: of an adaptive limit what it says now. */
  readonly maxInFlight: number;
  readonly queue: { readonly max: number; readonly timeoutMs: Milliseconds };
  readonly mode: "enforce" | "shadow" | "off";
  readonly enforceRatio: number;
  /** Absent if the gate has no classes. */
  readonly classes?: Readonly<Record<C, GateClassSettings>>;
}

/** A refusal by a gate with the counts at that moment (the refused request is in neither). */
export interface GateRejected extends Rejected {
  readonly inFlight: number;
  readonly queued: number;
  /** What `onReject` returned for this rejection; absent if that was `undefined`. */
  readonly degraded?: unknown;
}

/** The answer of a gate. Neither a permit nor a refusal carries limit statuses. */
export type GateVerdict = Extract<Verdict<GatePermit>, { admitted: true }> | GateRejected;

/**
 * The door of one process: a cap on requests in flight and a bounded queue before it. `C`: the
 * names of its classes.
 */
export interface Gate<C extends string = string> {
  /**
   * Lets the request in, now or after a wait, or refuses it. A newcomer never passes a waiter of
   * its class and key, unless its refusal is not enforced (an `enforceRatio` below 1). A request
   * that can start at once does, if its time is not over. Otherwise it waits for at most the
   * smaller of the queue's `timeoutMs` and its `deadlineMs`; a wait that reaches the bound is over,
   * also when a slot comes free at that very instant.
   *
   * Refused are, in this order: an `aborted` signal; anybody while `draining`; no time left
   * (`deadline_unreachable`); a full queue in which nobody waits who would make room
   * (`queue_full`); a predicted wait (place in the queue x mean hold / cap) beyond the bound
   * (`deadline_unreachable`). Later, a waiter whose bound ends (`queue_timeout`, or
   * `deadline_unreachable` if its deadline was the smaller one), and one that makes room for a
   * newcomer of a higher rank, or of a fairness key with fewer places (`evicted`).
   *
   * @throws InvalidOptionsError (as a rejected promise) on bad options, an unknown class among
   * them.   Load is a verdict, never an exception.
   */
  enter(options?: EnterOptions<C>): Promise<GateVerdict>;
  /**
   * Refuses newcomers and waiters (`draining`), in every mode and for good; resolves when the last
   * permit is back. An adaptive limit is let go of then. The same promise each time.
   */
  drain(): Promise<void>;
  readonly isDraining: boolean;
  /**
   * Whether a request of any class that enters now would start at once. Without the mode `enforce`
   * there always is room; at a gate that drains there never is.
   */
  readonly hasRoom: boolean;
  /**
   * Whether it matters here when the first byte of an answer is sent: the cap is an adaptive limit,
   * or slots are held until then. For adapters, which may save themselves the trouble.
   */
  readonly wantsFirstByte: boolean;
  /** A snapshot. */
  stats(): GateStats<C>;
  /** The settings in force, with the default of `queue.max` filled in. */
  readonly settings: GateSettings<C>;
  /**
   * Changes settings while running: all of the given ones in one step. Raising the cap, and leaving
   * the mode `enforce`, starts waiters before this returns; lowering the cap takes effect as work
   * ends. Waiters keep their place when `queue.max` sinks below it, and the time-out under which
   * they began to wait. Of `classes`, those that are named are changed in what is said of them;
   * there are never more or fewer of them.
   *
   * @throws InvalidOptionsError and changes nothing if any value is bad.
   */
  update(settings: GateUpdate<C>): void;
}

/** A partial change of {@link GateSettings}. */
export interface GateUpdate<C extends string = string> {
  /** A number lets go of the adaptive limit that was in force, a limit takes the place of both. */
  readonly maxInFlight?: number | AdaptiveLimit;
  readonly queue?: { readonly max?: number; readonly timeoutMs?: Milliseconds };
  readonly mode?: GateSettings["mode"];
  readonly enforceRatio?: number;
  readonly classes?: Readonly<Partial<Record<C, GateClassOptions>>>;
}
