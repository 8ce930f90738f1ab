import type { Outcome, Recorder, SluiceEvent } from "@sluice/core";

/** A recorder that keeps how the requests that held a slot have counted. */
export class Outcomes implements Recorder {
  readonly all: Outcome[] = [];

  record(event: SluiceEvent): void {
    if (event.type === "gate_ended") this.all.push(event.outcome);
  }
}
