import type { Milliseconds } from "@sluice/core";

/** A part of a run with a row of its own in the results; bounds are whole seconds. */
export interface Phase {
  readonly name: string;
  readonly fromMs: Milliseconds;
  readonly toMs: Milliseconds;
}
