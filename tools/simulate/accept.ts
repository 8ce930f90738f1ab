import {
  type Judgement,
  judge,
  type Measurements,
  numberText,
  overloadScenarios,
  runScenario,
  type Scenario,
} from "@sluice/testing";
import { knowingLimit } from "./knowing-limit";
import type { LimitFactory } from "./limits";
import { variantsOf } from "./variations";

/** Runs a scenario under the seeds 1 to `seeds`. */
export function runsOf(
  scenario: Scenario,
  limit: LimitFactory,
  seeds: number,
): readonly Measurements[] {
  return Array.from({ length: seeds }, (_, index) =>
    runScenario(scenario, { limit, seed: index + 1 }),
  );
}

/** One judgement in a line: `overload goodput 78.2 >= 73.7 ok`. */
export function judgementText({ expectation, measured, bound, isMet }: Judgement): string {
  const { phase, measure, atMost } = expectation;
  const sign = atMost === undefined ? ">=" : "<=";
  const verdict = isMet ? "ok" : "NOT";
  return `${phase} ${measure} ${numberText(measured)} ${sign} ${numberText(bound)} ${verdict}`;
}

/** What is to be accepted. */
export interface AcceptOptions {
  /** Names of published scenarios; all that expect something if absent. */
  readonly only: readonly string[] | undefined;
  readonly seeds: number;
  /** Variants of the scenarios instead of the scenarios. */
  readonly isVaried: boolean;
}

/** Judges a limit by what the scenarios expect, and prints it. @returns whether all is met. */
export function acceptLimit(limit: LimitFactory, options: AcceptOptions): boolean {
  const { only, seeds, isVaried } = options;
  let all = 0;
  let missed = 0;
  for (const scenario of expectingScenarios(only)) {
    for (const each of isVaried ? variantsOf(scenario) : [scenario]) {
      const judgements = judge(runsOf(each, limit, seeds));
      const unmet = judgements.filter(({ isMet }) => !isMet);
      all += judgements.length;
      missed += unmet.length;
      console.log(`${each.name.padEnd(40)} ${unmet.length === 0 ? "ok" : "NOT"}`);
      if (!isVaried) for (const shown of judgements) console.log(`    ${judgementText(shown)}`);
      else if (unmet.length > 0) printUnmet(each, unmet, seeds);
    }
  }
  console.log(`${all - missed} of ${all} expectations are met`);
  return missed === 0;
}

/** What is not met, beside what a limit reaches that knows the slots of the server. */
function printUnmet(scenario: Scenario, unmet: readonly Judgement[], seeds: number): void {
  const known = judge(runsOf(scenario, knowingLimit(scenario), seeds));
  for (const each of unmet) {
    const best = known.find(({ expectation }) => expectation === each.expectation);
    const text = best === undefined ? "" : numberText(best.measured);
    console.log(`    ${judgementText(each)} (a limit that knows the slots: ${text})`);
  }
}

/** The published scenarios that expect something, of those that are asked for. */
function expectingScenarios(only: readonly string[] | undefined): readonly Scenario[] {
  return overloadScenarios
    .filter(({ expectations = [] }) => expectations.length > 0)
    .filter(({ name }) => only?.includes(name) ?? true);
}
