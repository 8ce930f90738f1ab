import type { Expectation } from "./expectation";
import type { Measurements } from "./measurements";

/** How far beyond its bound an expectation is still met. */
const DEFAULT_SLACK = 0.03;

/** An expectation, and what was measured against it. */
export interface Judgement {
  readonly expectation: Expectation;
  /** The mean over the runs, or the worst of them where each has to meet it. */
  readonly measured: number;
  /** The bound with its slack. */
  readonly bound: number;
  readonly isMet: boolean;
}

/**
 * Judges runs of one scenario, usually under different seeds, by what the scenario expects. What
 * could not be measured (a latency of nothing) is not met.
 *
 * @throws Error if there are no runs.
 */
export function judge(runs: readonly Measurements[]): readonly Judgement[] {
  const [first] = runs;
  if (first === undefined) throw new Error("judge: expected at least one run");
  return (first.scenario.expectations ?? []).map((expectation) => {
    const { phase, measure, atMost, atLeast, slack = DEFAULT_SLACK, over = "mean" } = expectation;
    const values = runs.map((run) => run.phase(phase)[measure]);
    const isCeiling = atMost !== undefined;
    const bound = isCeiling ? atMost * (1 + slack) : (atLeast ?? 0) * (1 - slack);
    const worst = isCeiling ? Math.max(...values) : Math.min(...values);
    const measured = over === "each" ? worst : mean(values);
    return {
      expectation,
      measured,
      bound,
      isMet: isCeiling ? measured <= bound : measured >= bound,
    };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
