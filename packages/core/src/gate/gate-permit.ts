import type { Clock } from "../clock/clock";
import type { Milliseconds } from "../limit/limit";
import type { Outcome } from "../verdict/outcome";
import type { GatePermit } from "./gate";

/** What the gate learns when a slot comes back. */
export interface SlotEnd {
  readonly heldMs: Milliseconds;
  readonly outcome: Outcome;
  /** Milliseconds from the start to the first byte; absent if no first byte was marked. */
  readonly firstByteMs?: Milliseconds;
}

/** When a slot was taken, and after which wait. */
export interface SlotStart {
  readonly startedAtMs: Milliseconds;
  readonly waitedMs: Milliseconds;
}

/** One slot of a gate. Tells its gate of its end exactly once, however often `end` is called. */
export class SlotPermit implements GatePermit {
  readonly waitedMs: Milliseconds;
  readonly #startedAtMs: Milliseconds;
  readonly #clock: Clock;
  readonly #onEnd: (end: SlotEnd) => void;
  #firstByteMs: Milliseconds | undefined;
  #isOpen = true;

  constructor(start: SlotStart, clock: Clock, onEnd: (end: SlotEnd) => void) {
    this.waitedMs = start.waitedMs;
    this.#startedAtMs = start.startedAtMs;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  firstByte(): void {
    if (!this.#isOpen || this.#firstByteMs !== undefined) return;
    this.#firstByteMs = this.#clock.nowMs() - this.#startedAtMs;
  }

  end(outcome: Outcome = "success"): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const heldMs = this.#clock.nowMs() - this.#startedAtMs;
    const known = knownOutcome(outcome);
    this.#onEnd(
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
