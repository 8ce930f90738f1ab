import type { AdaptiveLimit, Outcome } from "@sluice/core";
import type { SimulationClock } from "../engine/simulation-clock";
import type { Door, Visitor } from "./door";

/** When a slot comes back, and when the sample ends. */
export interface LimitDoorOptions {
  readonly heldUntil: "first-byte" | "end";
  readonly sampledAt: "first-byte" | "end";
}

/**
 * An adaptive limit without a queue: who finds no room is refused at once. It counts, enforces and
 * reports as a gate does, in the whole milliseconds of the clock.
 */
export class LimitDoor implements Door {
  readonly #adaptive: AdaptiveLimit;
  readonly #clock: SimulationClock;
  readonly #options: LimitDoorOptions;
  #inFlight = 0;

  constructor(adaptive: AdaptiveLimit, clock: SimulationClock, options: LimitDoorOptions) {
    this.#adaptive = adaptive;
    this.#clock = clock;
    this.#options = options;
  }

  get limit(): number {
    return this.#adaptive.limit;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  enter(visitor: Visitor): void {
    if (this.#inFlight >= this.#adaptive.limit && !this.#probes()) {
      visitor.onRejected("queue_full");
      return;
    }
    this.#inFlight += 1;
    visitor.pass = new LimitPass(this.#clock.nowMs(), this.#inFlight);
    visitor.onAdmitted();
  }

  firstByte(visitor: Visitor): void {
    const pass = visitor.pass as LimitPass;
    if (this.#options.heldUntil === "first-byte") this.#giveBack(pass);
    if (this.#options.sampledAt === "first-byte") this.#sample(pass, "success");
  }

  end(visitor: Visitor, outcome: Outcome): void {
    const pass = visitor.pass as LimitPass;
    this.#giveBack(pass);
    this.#sample(pass, outcome);
  }

  #probes(): boolean {
    this.#adaptive.onFull();
    return this.#adaptive.takeProbe();
  }

  #giveBack(pass: LimitPass): void {
    if (!pass.isHeld) return;
    pass.isHeld = false;
    this.#inFlight -= 1;
  }

  #sample(pass: LimitPass, outcome: Outcome): void {
    if (pass.isSampled) return;
    pass.isSampled = true;
    const latencyMs = this.#clock.nowMs() - pass.startedAtMs;
    this.#adaptive.onSample({ latencyMs, inFlight: pass.inFlight, outcome });
  }
}

class LimitPass {
  readonly startedAtMs: number;
  readonly inFlight: number;
  isHeld = true;
  isSampled = false;

  constructor(startedAtMs: number, inFlight: number) {
    this.startedAtMs = startedAtMs;
    this.inFlight = inFlight;
  }
}
