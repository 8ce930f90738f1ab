import { adaptiveLimit, createGate, type Gate } from "@sluice/core";
import type { Subject } from "./subject";

/** A gate whose cap is the adaptive default. */
export class SluiceAdaptive implements Subject {
  readonly #gate: Gate = createGate({ maxInFlight: adaptiveLimit() });

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const verdict = await this.#gate.enter();
      if (verdict.admitted) verdict.permit.end("success");
    }
  }
}
