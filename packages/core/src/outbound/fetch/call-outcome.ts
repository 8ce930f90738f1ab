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
 * What a failure says, before or after the response has begun: `ignored` if the caller aborted, or
 * asked for something impossible; `dropped` for time-outs (also those by `AbortSignal.timeout`) and
 * for connections that failed or broke.
 */
export function outcomeOfFailure(error: unknown, signal: AbortSignal | undefined): Outcome {
  if (nameOf(error) === "TimeoutError") return "dropped";
  if (signal?.aborted) return nameOf(signal.reason) === "TimeoutError" ? "dropped" : "ignored";
  if (nameOf(error) === "AbortError") return "ignored";
  return isMistake(error) ? "ignored" : "dropped";
}

/** An address that is none: the call was never made. */
function isMistake(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown } } | null | undefined)?.cause;
  return cause?.code === "ERR_INVALID_URL";
}

function nameOf(error: unknown): unknown {
  return (error as { name?: unknown } | null | undefined)?.name;
}
