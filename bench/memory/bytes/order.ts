import type { ContenderName } from "../contender/contenders";

/** What the measuring process is told. */
export interface BytesOrder {
  readonly contender: ContenderName;
  readonly keys: number;
  readonly limits: number;
}

/** What it answers, in bytes per key. */
export interface BytesResult {
  /** All that the limiter keeps. */
  readonly all: number;
  /** Of it, the text that it keeps under; 0 if that is the caller's own string. */
  readonly text: number;
}
