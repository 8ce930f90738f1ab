import type { Contender } from "../contender/contenders";

/** What a loading process is told at its start. */
export interface LoadOrder extends Contender {
  readonly port: number;
}

/** What it is asked to do: to begin anew with other limits and keys, or to ask for a while. */
export type LoadQuestion =
  | { readonly type: "prepare"; readonly limits: number; readonly keys: number }
  | { readonly type: "load"; readonly inFlight: number; readonly durationMs: number };

/** What came out of asking for a while. */
export interface LoadResult {
  readonly verdicts: number;
  readonly wallMs: number;
  /** Processor time of the process, with all its threads. */
  readonly clientMs: number;
}
