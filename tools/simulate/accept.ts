import { type Judgement, judge, runScenario, type Scenario } from "@sluice/testing";
import type { LimitFactory } from "./limits";
import { numberText } from "./number-text";

/** Runs a scenario under the seeds 1 to `seeds` and judges it. */
export function accept(scenario: Scenario, limit: LimitFactory, seeds: number) {
  const runs = Array.from({ length: seeds }, (_, index) =>
    runScenario(scenario, { limit, seed: index + 1 }),
  );
  return { runs, judgements: judge(runs) };
}

/** One judgement in a line: `overload goodput 78.2 >= 73.7 ok`. */
export function judgementText({ expectation, measured, bound, isMet }: Judgement): string {
  const { phase, measure, atMost } = expectation;
  const sign = atMost === undefined ? ">=" : "<=";
  const verdict = isMet ? "ok" : "NOT";
  return `${phase} ${measure} ${numberText(measured)} ${sign} ${numberText(bound)} ${verdict}`;
}
