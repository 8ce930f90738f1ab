import { adaptiveLimit, createGate } from "@sluice/core";
import type { Subject } from "./subject";

const interactive = { class: "interactive", fairnessKey: "tenant" } as const;
const batch = { class: "batch", fairnessKey: "tenant" } as const;

/** The adaptive default, two classes, a reservation, and a fairness key said by each request. */
export class SluiceClasses implements Subject {
  readonly #gate = createGate({
    maxInFlight: adaptiveLimit(),
    classes: { interactive: { weight: 3, reserved: 2 }, batch: { weight: 1 } },
  });

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const verdict = await this.#gate.enter(index % 2 === 0 ? interactive : batch);
      if (verdict.admitted) verdict.permit.end("success");
    }
  }
}
