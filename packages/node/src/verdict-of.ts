import type { LimiterPermit, Verdict } from "@sluice/core";
import type { NodeRequest } from "./message";

const verdicts = new WeakMap<NodeRequest, Verdict<LimiterPermit>>();

/** Remembers the verdict on a request, for {@link verdictOf}. */
export function keepVerdict(req: NodeRequest, verdict: Verdict<LimiterPermit>): void {
  verdicts.set(req, verdict);
}

/**
 * The verdict on a request, or undefined if no limits applied to it or none were asked yet. If
 * several limits were asked one after the other, the latest. Never throws.
 */
export function verdictOf(req: NodeRequest): Verdict<LimiterPermit> | undefined {
  return verdicts.get(req);
}

/**
 * The permit that a request holds, or undefined if none. To note what the request used
 * (`usage`) or to ask for a refund (`refundAtEnd`); it is closed by itself when the response ends.
 * Never throws.
 *
 * @example
 * ```ts
 * permitOf(req)?.usage({ tokens: answer.usage.total_tokens });
 * ```
 */
export function permitOf(req: NodeRequest): LimiterPermit | undefined {
  const verdict = verdicts.get(req);
  return verdict?.admitted ? verdict.permit : undefined;
}
