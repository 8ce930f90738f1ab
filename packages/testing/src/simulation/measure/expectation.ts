import type { PhaseMeasure } from "./phase-summary";

/** What a run has to reach in one phase. Exactly one of the bounds is given. */
export interface Expectation {
  readonly phase: string;
  readonly measure: PhaseMeasure;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** How far beyond the bound still counts as met, as a share of it. @defaultValue 0.03 */
  readonly slack?: number;
  /** Whether the mean over the seeds has to meet it, or each seed. @defaultValue "mean" */
  readonly over?: "mean" | "each";
}
