import type { ContenderName } from "../contender/contenders";
import type { TurnLengths } from "./turn-meter";

/** What a measuring process is told. */
export interface TurnsOrder {
  readonly contender: ContenderName;
  readonly keys: number;
  /** Whether key texts are made before the clock starts, or in the turn that asks for them. */
  readonly texts: "beforehand" | "fresh";
  /** The window after which the keys expire; without it only filling is measured. */
  readonly expireAfterMs?: number;
}

/** What it answers. */
export interface TurnsResult {
  readonly fill: TurnLengths;
  readonly expire?: TurnLengths & {
    /** From the last key that was filled. */
    readonly tookMs: number;
    /** Keys that were still held at the end. */
    readonly keysLeft: number;
  };
}
