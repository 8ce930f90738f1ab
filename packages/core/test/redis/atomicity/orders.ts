import type { HistoryRecord } from "../checker/history";
import type { ClientName } from "../patient-clients";
import type { BurstName } from "./subjects";

/** What a process of the atomicity tests is started with. */
export interface WorkerSettings {
  readonly client: ClientName;
  readonly ports: readonly number[];
  readonly prefix: string;
  readonly seed: number;
}

/** What it is asked to do; each is answered by one message. */
export type Order =
  | { readonly do: "burst"; readonly about: BurstName; readonly questions: number }
  | { readonly do: "mix"; readonly lanes: number; readonly questions: number }
  | { readonly do: "retry" }
  /** Goes on until the process is killed; answered when it has begun. */
  | { readonly do: "go on" };

/** How many of a burst were answered how. */
export interface BurstAnswer {
  readonly admitted: number;
  readonly refused: number;
  readonly unavailable: number;
}

export type Answer = BurstAnswer | readonly HistoryRecord[] | "begun" | "ready";
