import type { Milliseconds } from "../limit/limit";
import type { Rejection } from "../verdict/verdict";

/**
 * The wait to tell a client in whole milliseconds, at least 1, or undefined when no wait helps or
 * none is known. Pure; never throws.
 */
export function waitMs(rejection: Rejection): Milliseconds | undefined {
  const { retryable, retryAfterMs } = rejection;
  if (!retryable || retryAfterMs === undefined || !Number.isFinite(retryAfterMs)) return undefined;
  return Math.min(Math.max(1, Math.ceil(retryAfterMs)), Number.MAX_SAFE_INTEGER);
}

/**
 * The value of Retry-After in whole seconds, rounded up and at least 1, or undefined when the field
 * is left out. A client that sleeps exactly that long comes back at or after the announced instant.
 *
 * @remarks RFC 9110 section 10.2.3 knows no fractions, and several client libraries ask again at
 * once when told 0.
 */
export function retryAfterSeconds(rejection: Rejection): number | undefined {
  const wait = waitMs(rejection);
  return wait === undefined ? undefined : Math.ceil(wait / 1000);
}
