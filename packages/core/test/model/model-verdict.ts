import type { Descriptor, Reason } from "@sluice/core";
import type { Range } from "./slots";

/** What the model expects of one limit status. */
export interface ModelStatus {
  readonly descriptor: Descriptor;
  readonly name: string;
  readonly unit: string;
  readonly max: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAfterMs: Range;
  readonly retryAfterMs?: number;
  readonly admitted: boolean;
  readonly wouldReject?: true;
  readonly source: "store";
}

/** What the model expects of a refusal. `hint` is a wait that nobody knows. */
export interface ModelRejection {
  readonly reason: Reason;
  readonly retryAfterMs: number | "hint" | undefined;
  readonly retryable: boolean;
  readonly violated: readonly ModelStatus[];
}

/** What the model expects of a whole answer; admitted if `rejection` is absent. */
export interface ModelVerdict {
  readonly statuses: readonly ModelStatus[];
  readonly rejection?: ModelRejection;
}
