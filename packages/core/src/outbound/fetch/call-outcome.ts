import type { Outcome } from "../../verdict/outcome";
import type { FetchedResponse } from "./fetch-like";

/**
 * Statuses that say "too much": 429, gateways that got no answer from behind them (502, 504), 503,
 * and 529, with which some model providers say that they are overloaded.
 */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504, 529]);

/**
 * What a response says about the upstream's load: `dropped` for the statuses of overload, `success`
 * for all below 500, and `ignored` for other errors of the server, which are neither an answer nor
 * a refusal for load.
 */
export function outcomeOfResponse({ status }: FetchedResponse): Outcome {
  if (OVERLOADED.has(status)) return "dropped";
  return status < 500 ? "success" : "ignored";
}

/**
 * What a failure says, before or after the response has begun: `ignored` if the caller aborted,
 * `dropped` for time-outs (also those by `AbortSignal.timeout`) and for connections that failed or
 * broke.
 */
export function outcomeOfFailure(error: unknown, signal: AbortSignal | undefined): Outcome {
  if (nameOf(error) === "TimeoutError") return "dropped";
  if (signal?.aborted) return nameOf(signal.reason) === "TimeoutError" ? "dropped" : "ignored";
  return nameOf(error) === "AbortError" ? "ignored" : "dropped";
}

/**
 * Whether a call was never made, because what was asked for is impossible: an address that is none,
 * a header with a bad name, a body with GET. It must not count against the upstream.
 *
 * A mistake is a `TypeError`, as a connection that failed is, but for the cause that only the
 * latter has in Node.js. Elsewhere neither has one; so the same request is made up once more.
 */
export function isMistake(error: unknown, call: readonly unknown[]): boolean {
  const cause = (error as { cause?: { code?: unknown } } | null | undefined)?.cause;
  if (cause?.code === "ERR_INVALID_URL") return true;
  return error instanceof TypeError && cause === undefined && !canBeMade(call);
}

function canBeMade([input, init]: readonly unknown[]): boolean {
  const given = init as RequestInit | undefined;
  // Only whether there is a body matters, and that of the caller stays untouched.
  const body = given?.body === undefined || given.body === null ? null : "";
  try {
    new Request(input as string, { ...given, body, signal: null });
    return true;
  } catch {
    return false;
  }
}

function nameOf(error: unknown): unknown {
  return (error as { name?: unknown } | null | undefined)?.name;
}
