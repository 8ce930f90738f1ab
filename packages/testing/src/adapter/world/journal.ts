import assert from "node:assert/strict";
import type { Outcome, Recorder, SluiceEvent } from "@sluice/core";

/** Everything that gates and limiters have reported. */
export class Journal implements Recorder {
  readonly events: SluiceEvent[] = [];

  record(event: SluiceEvent): void {
    this.events.push(event);
  }

  /** How permits of limiters were closed, the first one first. */
  get closings(): readonly ("settled" | "released" | "refunded")[] {
    return this.events.flatMap((event) => (event.type === "permit_closed" ? [event.how] : []));
  }

  /** How requests that held a slot of a gate have counted. */
  get outcomes(): readonly Outcome[] {
    return this.events.flatMap((event) => (event.type === "gate_ended" ? [event.outcome] : []));
  }

  /** How often limiters have admitted, that is how many permits there have been. */
  get permits(): number {
    return this.events.filter((event) => event.type === "verdict" && event.admitted).length;
  }

  /** How often limiters have been asked. */
  get verdicts(): number {
    return this.events.filter((event) => event.type === "verdict").length;
  }

  /** Whether every permit, of limiters and of gates, was given back. */
  get isEven(): boolean {
    return this.closings.length === this.permits && this.outcomes.length === this.#entered;
  }

  /** Fails if a permit was not given back, or twice. */
  assertEven(): void {
    assert.equal(this.closings.length, this.permits, "permits of limiters closed");
    assert.equal(this.outcomes.length, this.#entered, "slots of gates given back");
    const ids = this.events.flatMap((event) =>
      event.type === "permit_closed" ? [event.permitId] : [],
    );
    assert.equal(new Set(ids).size, ids.length, "permits that were closed once");
  }

  get #entered(): number {
    return this.events.filter((event) => event.type === "gate_admitted").length;
  }
}
