import type { NodeResponse } from "./message";
import { warnOfPlacement } from "./warning";

/**
 * Tells, once per instance, that a gate or limits stand where they cannot act: a response whose
 * head has been sent cannot become a refusal any more.
 */
export class Placement {
  readonly #factory: string;
  #hasWarned = false;

  constructor(factory: string) {
    this.#factory = factory;
  }

  /** To be called with each response before it is judged. */
  check(res: NodeResponse): void {
    if (this.#hasWarned || !res.headersSent) return;
    this.#hasWarned = true;
    warnOfPlacement(
      "SLUICE_ALREADY_ANSWERED",
      `What ${this.#factory} made got a request that had been answered, at least in part, so ` +
        "that it cannot refuse it with a status. Mount it before whatever answers.",
    );
  }
}
