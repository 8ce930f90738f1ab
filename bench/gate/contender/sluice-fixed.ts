import { createGate, type Gate } from "@sluice/core";
import type { Subject } from "./subject";

/** A gate with a number for its cap. */
export class SluiceFixed implements Subject {
  readonly #gate: Gate = createGate({ maxInFlight: 100 });

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const verdict = await this.#gate.enter();
      if (verdict.admitted) verdict.permit.end("success");
    }
  }
}
