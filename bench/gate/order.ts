import type { ContenderName } from "./contender/contenders";

/** What a measuring process is told at its start. */
export interface GateOrder {
  readonly contender: ContenderName;
}

/** `round`: nanoseconds per request; a number: what that many requests in a row leave behind. */
export type GateQuestion = "round" | number;

/** The first and the last tenth of a long run. */
export interface Growth {
  readonly firstNs: number;
  readonly lastNs: number;
  /** Memory in use after a collection, at the end of the first tenth and of the last. */
  readonly firstBytes: number;
  readonly lastBytes: number;
}
