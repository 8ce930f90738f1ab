import type { Outcome } from "@sluice/core";
import type { NodeResponse } from "./message";

/**
 * Overrides how a response counts for the gate. Called once, when it has ended, with what it would
 * count as; what it throws is dropped and the given outcome stands.
 */
export type OutcomeOf = (res: NodeResponse, outcome: Outcome) => Outcome;

const dropped = new WeakSet<NodeResponse>();

/**
 * Marks a response as the sign of an overload, whatever its status: an answer from a fallback after
 * a time-out of the upstream, for instance. Call it before the response ends. Never throws.
 */
export function markDropped(res: NodeResponse): void {
  dropped.add(res);
}

/**
 * The outcome of a response that has ended. A client that left says nothing about our load
 * (`ignored`); 503, 504 or a mark say that there was too much of it (`dropped`); any other whole
 * answer, 4xx and 500 included, took the time that such answers take (`success`).
 */
export function outcomeOfResponse(
  res: NodeResponse,
  isComplete: boolean,
  override: OutcomeOf | undefined,
): Outcome {
  const outcome = isComplete ? outcomeOfComplete(res) : "ignored";
  if (override === undefined) return outcome;
  try {
    return override(res, outcome);
  } catch {
    // The slot has to come back whatever an override does.
    return outcome;
  }
}

function outcomeOfComplete(res: NodeResponse): Outcome {
  const { statusCode } = res;
  return statusCode === 503 || statusCode === 504 || dropped.has(res) ? "dropped" : "success";
}
