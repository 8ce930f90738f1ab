import type { Gate, GatePermit, Outcome } from "@sluice/core";
import type { Door, Visitor } from "./door";

/** A gate with its queue, classes and deadlines. Patience is the deadline that it is told. */
export class GateDoor implements Door {
  readonly #gate: Gate;
  #inFlight = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  get limit(): number {
    return this.#gate.settings.maxInFlight;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  enter(visitor: Visitor): void {
    const { class: name, fairnessKey, patienceMs } = visitor;
    this.#gate.enter({ class: name, fairnessKey, deadlineMs: patienceMs }).then(
      (verdict) => {
        if (!verdict.admitted) {
          visitor.onRejected(verdict.rejection.reason);
          return;
        }
        this.#inFlight += 1;
        visitor.pass = verdict.permit;
        visitor.onAdmitted();
      },
      (error: unknown) => visitor.onFailed(error),
    );
  }

  firstByte(visitor: Visitor): void {
    (visitor.pass as GatePermit).firstByte();
  }

  end(visitor: Visitor, outcome: Outcome): void {
    this.#inFlight -= 1;
    (visitor.pass as GatePermit).end(outcome);
  }
}
