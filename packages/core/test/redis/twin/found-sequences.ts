import type { Step } from "./step";

/** Sequences on which a script and its transition once differed, as fast-check shrank them. */
export const foundSequences: readonly {
  readonly what: string;
  readonly startMs: number;
  readonly steps: readonly Step[];
}[] = [];
