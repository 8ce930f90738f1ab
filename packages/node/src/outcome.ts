import type { Outcome } from "@sluice/core";
import type { NodeResponse } from "./message";

const marked = new WeakMap<NodeResponse, "dropped" | "ignored">();

/**
 * Marks a response as the sign of an overload, whatever its status: an answer from a fallback after
 * a time-out of the upstream, for instance. Call it before the response ends. Never throws.
 */
export function markDropped(res: NodeResponse): void {
  marked.set(res, "dropped");
}

/**
 * Marks a response as saying nothing about load, whatever its status: one that came from a cache,
 * or a refusal that no work was done for. Refusals by limits are marked by themselves.
 * Call it before the response ends. Never throws.
 */
export function markIgnored(res: NodeResponse): void {
  marked.set(res, "ignored");
}

/**
 * The outcome of a response that has ended. A client that left says nothing about our load
 * (`ignored`); a mark says what it says; 503 and 504 say that there was too much (`dropped`); any
 * other whole answer, 4xx and 500 included, took the time that such answers take (`success`).
 */
export function outcomeOfResponse(res: NodeResponse, isComplete: boolean): Outcome {
  return isComplete ? outcomeSoFar(res) : "ignored";
}

/** What a response will count as if it is sent whole: its mark, or what its status says. */
export function outcomeSoFar(res: NodeResponse): Outcome {
  const { statusCode } = res;
  return marked.get(res) ?? (statusCode === 503 || statusCode === 504 ? "dropped" : "success");
}
