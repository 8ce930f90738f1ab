import type { Outcome } from "@sluice/core";
import type { NodeResponse } from "./message";
import { outcomeOfResponse } from "./outcome";

/** How an admitted request has ended. */
export interface Ended<Req> {
  /** The request as the framework has it. */
  readonly request: Req;
  /** The response of Node.js. */
  readonly response: NodeResponse;
  /** The status that was sent; of an answer that never began, the one it would have had so far. */
  readonly status: number;
  /** Whether the client was sent the whole answer. False if it left before. */
  readonly isComplete: boolean;
  /** How the response counts for a gate. */
  readonly outcome: Outcome;
}

/**
 * Overrides how a response counts for the gate. Called once, when it has ended, with what it would
 * count as; what it throws is dropped and that outcome stands.
 */
export type OutcomeOf<Req> = (ended: Ended<Req>) => Outcome;

export function endedRequest<Req>(
  request: Req,
  res: NodeResponse,
  isComplete: boolean,
): Ended<Req> {
  const outcome = outcomeOfResponse(res, isComplete);
  return { request, response: res, status: res.statusCode, isComplete, outcome };
}

/** The outcome of a response that has ended, overridden or not. */
export function outcomeOfEnded<Req>(
  request: Req,
  res: NodeResponse,
  isComplete: boolean,
  override: OutcomeOf<Req> | undefined,
): Outcome {
  if (override === undefined) return outcomeOfResponse(res, isComplete);
  const ended = endedRequest(request, res, isComplete);
  try {
    return override(ended);
  } catch {
    // The slot has to come back whatever an override does.
    return ended.outcome;
  }
}
