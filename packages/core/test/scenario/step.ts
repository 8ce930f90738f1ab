import type { Cost } from "@sluice/core";
import type { catalogueNames, LimitChoice } from "./catalogue";

/** One descriptor of a question to come. */
export interface SubjectChoice {
  readonly subject: number;
  readonly limits: readonly LimitChoice[];
}

/**
 * One move of a scenario. `pick` numbers are taken modulo what there is to pick from when the move
 * is made, so that every list of steps can be played and shrunk.
 */
export type Step =
  | { readonly do: "ask"; readonly subjects: readonly SubjectChoice[]; readonly cost: Cost }
  /** A process asks and is gone at once: if admitted, nobody closes the permit or renews it. */
  | {
      readonly do: "ask and crash";
      readonly subjects: readonly SubjectChoice[];
      readonly cost: Cost;
    }
  | { readonly do: "peek"; readonly subjects: readonly SubjectChoice[]; readonly cost: Cost }
  | { readonly do: "settle"; readonly pick: number; readonly actual: Cost }
  | { readonly do: "release"; readonly pick: number }
  | { readonly do: "refund"; readonly pick: number }
  | { readonly do: "reset"; readonly subject: number }
  | { readonly do: "wait"; readonly ms: number }
  /** Waits until an instant that an earlier answer told (a wait or a reset), or one beside it. */
  | { readonly do: "wait until told"; readonly pick: number; readonly offsetMs: -1 | 0 | 1 }
  | { readonly do: "wait long"; readonly units: number };

/** A whole play: where time begins, which limits take part, and what happens. */
export interface Scenario {
  readonly startMs: number;
  readonly unitMs: number;
  readonly limits: readonly (typeof catalogueNames)[number][];
  /** The ceiling of each limit, for plays in which the questions may not choose it. */
  readonly ceilings?: readonly number[];
  readonly steps: readonly Step[];
}
