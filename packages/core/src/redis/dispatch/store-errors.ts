import { StoreError, type StoreErrorCode } from "../../error/store-error";
import type { Milliseconds } from "../../limit/limit";
import type { CallFailure } from "../executor/call-failure";

export function closedError(operation: string): StoreError {
  return new StoreError("The Redis store is closed", {
    code: "SLUICE_STORE_CLOSED",
    operation,
    isRetryable: true,
  });
}

export function timeoutError(operation: string, timeoutMs: Milliseconds, cause?: unknown) {
  return new StoreError(`Redis did not answer ${operation} within ${timeoutMs} ms`, {
    code: "SLUICE_STORE_TIMEOUT",
    operation,
    isRetryable: false,
    cause,
  });
}

export function breakerOpenError(operation: string, node: string): StoreError {
  return new StoreError(`Redis node ${node} does not answer; ${operation} was not sent`, {
    code: "SLUICE_STORE_UNREACHABLE",
    operation,
    isRetryable: true,
  });
}

export function tooManyError(operation: string, max: number): StoreError {
  return new StoreError(
    `Expected at most ${max} commands to wait for Redis (maxInFlight); ${operation} was not sent`,
    { code: "SLUICE_STORE_REFUSED", operation, isRetryable: true },
  );
}

const SENTENCES: Partial<Record<StoreErrorCode, string>> = {
  SLUICE_STORE_UNREACHABLE: "Redis cannot be reached",
  SLUICE_STORE_REFUSED: "Redis refused",
  SLUICE_STORE_PROTOCOL: "Redis answered what was not expected",
};

export function failureError(operation: string, failure: CallFailure): StoreError {
  const { code, isRetryable, cause } = failure;
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `${SENTENCES[code] ?? "Redis failed"}: ${why} (${operation})`;
  return new StoreError(message, { code, operation, isRetryable, cause });
}
