import type { Clock } from "../clock/clock";
import type { Milliseconds } from "../limit/limit";
import type { Outcome } from "../verdict/outcome";
import type { Reason } from "../verdict/verdict";
import type { GatePermit } from "./gate";
import type { LiveClass } from "./live-class";

/** What the gate learns when a request has ended. */
export interface SlotEnd {
  readonly heldMs: Milliseconds;
  readonly outcome: Outcome;
  /** Milliseconds from the start to the first byte; absent if no first byte was marked. */
  readonly firstByteMs?: Milliseconds;
}

/** When a slot was taken, after which wait, by whom, and among how many. */
export interface SlotStart {
  readonly startedAtMs: Milliseconds;
  readonly waitedMs: Milliseconds;
  readonly gateClass: LiveClass;
  /** Slots in use, this one included. */
  readonly inFlight: number;
}

/** Who is told what becomes of a slot: each of the two at most once. */
export interface SlotKeeper {
  onFirstByte(gateClass: LiveClass, inFlight: number, firstByteMs: Milliseconds): void;
  onEnd(gateClass: LiveClass, inFlight: number, end: SlotEnd): void;
}

/** One slot of a gate. Tells its gate of its end exactly once, however often `end` is called. */
export class SlotPermit implements GatePermit {
  readonly waitedMs: Milliseconds;
  readonly wouldReject: Reason | undefined;
  readonly #startedAtMs: Milliseconds;
  readonly #gateClass: LiveClass;
  readonly #inFlight: number;
  readonly #clock: Clock;
  readonly #keeper: SlotKeeper;
  #firstByteMs: Milliseconds | undefined;
  #isOpen = true;

  /** Takes `start` apart: kept as it is, it would cost every request an object. */
  constructor(start: SlotStart, clock: Clock, keeper: SlotKeeper, wouldReject?: Reason) {
    this.waitedMs = start.waitedMs;
    this.wouldReject = wouldReject;
    this.#startedAtMs = start.startedAtMs;
    this.#gateClass = start.gateClass;
    this.#inFlight = start.inFlight;
    this.#clock = clock;
    this.#keeper = keeper;
  }

  firstByte(): void {
    if (!this.#isOpen || this.#firstByteMs !== undefined) return;
    this.#firstByteMs = this.#clock.nowMs() - this.#startedAtMs;
    this.#keeper.onFirstByte(this.#gateClass, this.#inFlight, this.#firstByteMs);
  }

  end(outcome: Outcome = "success"): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const heldMs = this.#clock.nowMs() - this.#startedAtMs;
    const known = knownOutcome(outcome);
    this.#keeper.onEnd(
      this.#gateClass,
      this.#inFlight,
      this.#firstByteMs === undefined
        ? { heldMs, outcome: known }
        : { heldMs, outcome: known, firstByteMs: this.#firstByteMs },
    );
  }
}

/** `end` must give the slot back even when it is told nonsense; nonsense then says nothing. */
function knownOutcome(outcome: Outcome): Outcome {
  return outcome === "success" || outcome === "dropped" ? outcome : "ignored";
}
