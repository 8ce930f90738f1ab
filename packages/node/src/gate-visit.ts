import type { GatePermit, Outcome } from "@sluice/core";

/** One request on its way through a gate: waiting, holding a slot, or over. */
export class GateVisit {
  #permit: GatePermit | undefined;
  #waiting: AbortController | undefined;
  #isOver = false;

  /** Whether the response has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it holds a slot, whose end is of interest to the gate. */
  get isHolding(): boolean {
    return this.#permit !== undefined;
  }

  /** A signal that aborts when the response ends: whoever has left should not wait on. */
  signal(): AbortSignal {
    this.#waiting ??= new AbortController();
    return this.#waiting.signal;
  }

  /** Takes the slot that the gate has given; gives it back at once if the response is over. */
  hold(permit: GatePermit): void {
    if (this.#isOver) permit.end("ignored");
    else this.#permit = permit;
  }

  /** The first byte of the answer has been sent. */
  firstByte(): void {
    this.#permit?.firstByte();
  }

  /** The response has ended: gives the slot back, or leaves the queue. */
  end(outcome: Outcome): void {
    this.#isOver = true;
    if (this.#permit !== undefined) this.#permit.end(outcome);
    else this.#waiting?.abort();
  }
}
