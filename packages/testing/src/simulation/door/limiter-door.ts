import type { Limiter, LimiterPermit, Outcome, Question } from "@sluice/core";
import type { Door, Visitor } from "./door";

/** What a question is made of: what a scenario says of the source of a request. */
export type SimulatedRequest = Pick<Visitor, "source" | "class" | "fairnessKey">;

/** A limiter. What was answered or given up stays charged; what was never begun is refunded. */
export class LimiterDoor implements Door {
  /** A limiter has limits per caller, and no number for all of them. */
  readonly limit = Number.NaN;
  readonly #limiter: Limiter;
  readonly #questionOf: (request: SimulatedRequest) => Question;
  #inFlight = 0;

  constructor(limiter: Limiter, questionOf: (request: SimulatedRequest) => Question) {
    this.#limiter = limiter;
    this.#questionOf = questionOf;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  enter(visitor: Visitor): void {
    this.#limiter.admit(this.#questionOf(visitor)).then(
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

  firstByte(): void {}

  end(visitor: Visitor, outcome: Outcome): void {
    this.#inFlight -= 1;
    const permit = visitor.pass as LimiterPermit;
    const closed = outcome === "ignored" ? permit.refund() : permit.release();
    closed.catch((error: unknown) => visitor.onFailed(error));
  }
}
