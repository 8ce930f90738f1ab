import type { StoreErrorCode } from "../../error/store-error";

/** What a {@link CallFailure} says. */
export interface CallFailureDetails {
  readonly code: StoreErrorCode;
  readonly isRetryable?: boolean;
  readonly isTransient?: boolean;
  readonly cause: unknown;
}

/**
 * Why a call failed. Not an Error: in an outage there are many, and the store wraps the few that it
 * shows into a StoreError.
 */
export class CallFailure {
  /**
   * SLUICE_STORE_UNREACHABLE (no connection, or it broke), SLUICE_STORE_REFUSED (the server did not
   * want to) or SLUICE_STORE_PROTOCOL (server and script do not understand each other).
   */
  readonly code: StoreErrorCode;
  /** Whether the script surely did not execute; false where that is unknown. */
  readonly isRetryable: boolean;
  /** Whether the same call may succeed within tens of milliseconds; implies `isRetryable`. */
  readonly isTransient: boolean;
  /** The error of the client. */
  readonly cause: unknown;

  constructor({ code, isRetryable = false, isTransient = false, cause }: CallFailureDetails) {
    this.code = code;
    this.isRetryable = isRetryable || isTransient;
    this.isTransient = isTransient;
    this.cause = cause;
  }
}
