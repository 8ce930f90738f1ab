import type { ContenderName } from "../contender/contenders";

/** How a question is answered. */
export type Answer = "admitted" | "rejected";

/** One situation in which contenders are compared. */
export interface Cell {
  readonly keys: number;
  readonly limits: number;
  /** Rejected: by the last of the limits; the others have room. */
  readonly answer: Answer;
}

/** What a measuring process is told at its start. */
export interface SpeedOrder {
  readonly contender: ContenderName;
  readonly keys: number;
  readonly limits: number;
}

/** What it is asked to do; it reports when it is done. */
export type SpeedQuestion = "prepare admitted" | "prepare rejected" | "round";
