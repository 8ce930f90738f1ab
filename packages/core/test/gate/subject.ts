import {
  type Clock,
  createGate,
  type Gate,
  type GatePermit,
  type GateVerdict,
  type Random,
} from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import { draws } from "./draws";
import type { Answer } from "./naive-gate";
import type { Scenario } from "./scenario";

/** The gate under test with what its callers were told. */
export class Subject {
  readonly clock = new FakeClock();
  readonly gate: Gate;
  readonly answers: (Answer | undefined)[] = [];
  readonly permits: (GatePermit | undefined)[] = [];
  readonly controllers: AbortController[] = [];
  /** Ids in the order in which they were told that they may start. */
  readonly started: number[] = [];
  settlements = 0;
  hasDrained = false;

  constructor(scenario: Scenario) {
    const { clock } = this;
    const lateClock: Clock = {
      nowMs: () => clock.nowMs(),
      after: (delayMs, fn, options) => clock.after(delayMs + scenario.timersLateMs, fn, options),
    };
    const random: Random = { next: draws(), id: () => "unused" };
    const queue = {
      timeoutMs: scenario.timeoutMs,
      ...(scenario.queueMax !== undefined && { max: scenario.queueMax }),
    };
    const { cap: maxInFlight, enforceRatio } = scenario;
    this.gate = createGate({ maxInFlight, queue, enforceRatio, clock: lateClock, random });
  }

  enter(deadlineMs: number | undefined, isAborted: boolean) {
    const id = this.answers.length;
    const controller = new AbortController();
    if (isAborted) controller.abort();
    this.controllers.push(controller);
    this.answers.push(undefined);
    const { signal } = controller;
    const entered = this.gate.enter(deadlineMs === undefined ? { signal } : { signal, deadlineMs });
    void entered.then((verdict) => this.#note(id, verdict));
  }

  #note(id: number, verdict: GateVerdict) {
    this.settlements += 1;
    if (verdict.admitted) {
      this.started.push(id);
      this.permits[id] = verdict.permit;
      this.answers[id] = { waitedMs: verdict.permit.waitedMs };
    } else {
      const { rejection, inFlight, queued } = verdict;
      this.answers[id] = { reason: rejection.reason, inFlight, queued };
    }
  }

  drain() {
    void this.gate.drain().then(() => {
      this.hasDrained = true;
    });
  }
}

/** Ends whatever runs and lets every wait end. */
export async function wind(subject: Subject) {
  for (let turn = 0; subject.gate.stats().inFlight + subject.gate.stats().queued > 0; turn++) {
    if (turn > 100) throw new Error("the gate does not come to rest");
    for (const id of subject.started) subject.permits[id]?.end();
    await subject.clock.advanceAsync(1);
  }
}
