import { hasBrand } from "./brand";

const brand = Symbol.for("sluice.StoreError");

/** Which trouble a store has. Stable; messages are not. */
export type StoreErrorCode =
  | "SLUICE_STORE_CLOSED"
  | "SLUICE_STORE_FULL"
  | "SLUICE_STORE_TIMEOUT"
  | "SLUICE_STORE_UNREACHABLE"
  | "SLUICE_STORE_REFUSED"
  | "SLUICE_STORE_PROTOCOL";

/** What a {@link StoreError} says besides its message. */
export interface StoreErrorDetails {
  readonly code: StoreErrorCode;
  /** The command that failed: `admit`, `settle`, ... */
  readonly operation: string;
  /** Whether the command surely did not execute, so that sending it again cannot charge twice. */
  readonly isRetryable: boolean;
  /**
   * Where a command was executed in part: the places, in its list of targets, of those that surely
   * were not; these can be sent again. Absent if the command has one fate.
   */
  readonly unexecuted?: readonly number[];
  readonly cause?: unknown;
}

/**
 * A store could not execute a command. Operational: the limiter turns it into a verdict by its
 * failure policy, and never reports it as a full limit.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly operation: string;
  readonly isRetryable: boolean;
  readonly unexecuted?: readonly number[];
  readonly [brand] = true;

  constructor(message: string, details: StoreErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.operation = details.operation;
    this.isRetryable = details.isRetryable;
    if (details.unexecuted !== undefined) this.unexecuted = details.unexecuted;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, brand);
  }
}
