import type { Cost, Descriptor, Limit, LimitStatus, Question } from "@sluice/core";
import type { Action } from "./action";
import { type LimitChoice, makeLimit } from "./catalogue";
import type { Scenario, Step, SubjectChoice } from "./step";

/** Ceiling of the question that looks at everything: as large as the largest that steps ask for. */
const SURVEY_MAX = 12;

/**
 * Turns steps into actions: it knows which permits are out and which instants were told, and so can
 * aim at exactly those.
 */
export class Director {
  readonly #scenario: Scenario;
  /** The numbers of the permits that were given out, closed or not. */
  readonly #permits: number[] = [];
  #toldMs: number[] = [];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** The number of an ask whose question was admitted, so that later steps can close its permit. */
  noteAdmitted(permit: number): void {
    this.#permits.push(permit);
  }

  /** Remembers the instants that an answer tells. */
  noteTold(statuses: readonly LimitStatus[], nowMs: number): void {
    const waitsMs = statuses.flatMap((status) => [status.resetAfterMs, status.retryAfterMs ?? 0]);
    const told = [...this.#toldMs, ...waitsMs.map((waitMs) => nowMs + waitMs)];
    this.#toldMs = [...new Set(told.filter((instantMs) => instantMs > nowMs))].sort(
      (a, b) => a - b,
    );
  }

  /** What a step comes to now, or undefined if there is nothing to do it with. */
  actionOf(step: Step, nowMs: number): Action | undefined {
    switch (step.do) {
      case "ask":
      case "ask and crash":
      case "peek":
        return { do: step.do, question: this.#questionOf(step.subjects, step.cost) };
      case "settle": {
        const permit = pickFrom(this.#permits, step.pick);
        return permit === undefined ? permit : { do: "settle", permit, actual: step.actual };
      }
      case "release":
      case "refund": {
        const permit = pickFrom(this.#permits, step.pick);
        return permit === undefined ? permit : { do: step.do, permit };
      }
      case "reset":
        return { do: "reset", descriptors: [descriptorOf(step.subject, this.#allLimits())] };
      case "wait":
        return { do: "wait", ms: step.ms };
      case "wait until told": {
        const ahead = this.#toldMs.filter((instantMs) => instantMs + step.offsetMs > nowMs);
        const instantMs = pickFrom(ahead, step.pick % 3);
        if (instantMs === undefined) return undefined;
        return { do: "wait", ms: instantMs + step.offsetMs - nowMs };
      }
      case "wait long":
        return { do: "wait", ms: step.units * this.#scenario.unitMs };
    }
  }

  /** A question that names every limit of every subject, to look at all state at once. */
  survey(): Question {
    const limits = this.#allLimits();
    return { descriptors: [0, 1, 2].map((subject) => descriptorOf(subject, limits)) };
  }

  #allLimits(): Limit[] {
    const { limits } = this.#scenario;
    return limits.map((_, index) => this.#limitOf({ pick: index, max: SURVEY_MAX }));
  }

  #limitOf(choice: LimitChoice): Limit {
    const { limits, unitMs, ceilings } = this.#scenario;
    const index = choice.pick % limits.length;
    const name = limits[index];
    if (name === undefined) throw new Error("a scenario has at least one limit");
    return makeLimit(name, unitMs, { ...choice, max: ceilings?.[index] ?? choice.max });
  }

  #questionOf(choices: readonly SubjectChoice[], cost: Cost): Question {
    const subjects = new Map<number, Map<string, Limit>>();
    for (const { subject, limits } of choices) {
      const named = subjects.get(subject) ?? new Map<string, Limit>();
      subjects.set(subject, named);
      for (const choice of limits) {
        const limit = this.#limitOf(choice);
        named.set(limit.name, limit);
      }
    }
    const descriptors = [...subjects].map(([subject, named]) => {
      return descriptorOf(subject, [...named.values()]);
    });
    return { descriptors, cost };
  }
}

function descriptorOf(subject: number, limits: readonly Limit[]): Descriptor {
  return { kind: "subject", id: `s${subject}`, limits };
}

function pickFrom<T>(list: readonly T[], pick: number): T | undefined {
  return list[pick % Math.max(1, list.length)];
}
