import {
  type AdaptiveLimit,
  createGate,
  type EnterOptions,
  type Gate,
  type GatePermit,
  type GateVerdict,
  type LimitSample,
  type Outcome,
} from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import { SettableLimit } from "../settable-limit";
import type { ClassScenario, ClassStep } from "./class-scenario";

/** One request: what it asked for, and what became of it. */
export interface Visit {
  readonly id: number;
  readonly className: string;
  readonly key: string | undefined;
  readonly boundMs: number;
  readonly controller: AbortController;
  settlements: number;
  reason: string | undefined;
  permit: GatePermit | undefined;
  startedAtMs: number;
  hasFirstByte: boolean;
  hasEnded: boolean;
}

/**
 * A gate that is played with; keeps all that happened, and the samples that ought to come of it.
 */
export class ClassPlay {
  readonly clock = new FakeClock();
  readonly limit: SettableLimit;
  readonly gate: Gate;
  readonly visits: Visit[] = [];
  /** Those who started, in order. */
  readonly started: Visit[] = [];
  readonly expectedSamples: Omit<LimitSample, "inFlight">[] = [];
  readonly #scenario: ClassScenario;

  constructor(scenario: ClassScenario) {
    this.#scenario = scenario;
    const { cap, queueMax, timeoutMs, classes, heldUntil } = scenario;
    this.limit = new SettableLimit(cap);
    const maxInFlight: AdaptiveLimit = this.limit;
    const queue = { max: queueMax, timeoutMs };
    const named = Object.keys(classes).length > 0 && { classes };
    this.gate = createGate({ maxInFlight, queue, heldUntil, clock: this.clock, ...named });
  }

  get waiting(): Visit[] {
    return this.visits.filter(({ settlements }) => settlements === 0);
  }

  get running(): Visit[] {
    return this.started.filter(({ hasEnded }) => !hasEnded);
  }

  async take(step: ClassStep): Promise<void> {
    switch (step.do) {
      case "enter":
        this.#enter(step.classPick, step.key, step.deadlineMs);
        break;
      case "end":
        this.end(this.running[step.pick % (this.running.length || 1)], step.outcome);
        break;
      case "first byte":
        this.#firstByte(this.running[step.pick % (this.running.length || 1)]);
        break;
      case "abort":
        this.visits[step.pick % (this.visits.length || 1)]?.controller.abort();
        break;
      case "advance":
        this.clock.advance(step.ms);
        break;
      case "limit":
        this.limit.set(step.limit);
        break;
      case "probe":
        this.limit.probes = 1;
        break;
      case "reserve": {
        const names = Object.keys(this.#scenario.classes);
        const name = names[step.classPick % (names.length || 1)];
        if (name !== undefined)
          this.gate.update({ classes: { [name]: { reserved: step.reserved } } });
        break;
      }
    }
    await undefined;
    await undefined;
  }

  end(visit: Visit | undefined, outcome: Outcome): void {
    if (visit?.permit === undefined || visit.hasEnded) return;
    visit.hasEnded = true;
    if (!visit.hasFirstByte || outcome === "dropped") this.#expectSample(visit, outcome);
    visit.permit.end(outcome);
  }

  #firstByte(visit: Visit | undefined): void {
    if (visit?.permit === undefined) return;
    if (!visit.hasFirstByte) this.#expectSample(visit, "success");
    visit.hasFirstByte = true;
    visit.permit.firstByte();
  }

  #expectSample(visit: Visit, outcome: Outcome): void {
    const latencyMs = this.clock.nowMs() - visit.startedAtMs;
    this.expectedSamples.push({ latencyMs, outcome });
  }

  #enter(classPick: number, key: string | undefined, deadlineMs: number | undefined): void {
    const names = Object.keys(this.#scenario.classes);
    const className = names[classPick % (names.length || 1)];
    const controller = new AbortController();
    const visit: Visit = {
      id: this.visits.length,
      className: className ?? "",
      key,
      boundMs: Math.min(this.#scenario.timeoutMs, deadlineMs ?? Number.POSITIVE_INFINITY),
      controller,
      settlements: 0,
      reason: undefined,
      permit: undefined,
      startedAtMs: 0,
      hasFirstByte: false,
      hasEnded: false,
    };
    this.visits.push(visit);
    const options: EnterOptions = {
      signal: controller.signal,
      ...(className !== undefined && { class: className }),
      ...(key !== undefined && { fairnessKey: key }),
      ...(deadlineMs !== undefined && { deadlineMs }),
    };
    const enteredAtMs = this.clock.nowMs();
    void this.gate.enter(options).then((verdict) => this.#note(visit, verdict, enteredAtMs));
  }

  #note(visit: Visit, verdict: GateVerdict, enteredAtMs: number): void {
    visit.settlements += 1;
    if (!verdict.admitted) {
      visit.reason = verdict.rejection.reason;
      return;
    }
    visit.permit = verdict.permit;
    visit.startedAtMs = enteredAtMs + verdict.permit.waitedMs;
    this.started.push(visit);
  }
}
