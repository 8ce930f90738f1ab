import type { LimiterPermit, Verdict } from "@sluice/core";

// Shared by all copies of the package (ESM beside CommonJS). A WeakMap would not be, and its
// entries cost each request as much as all of the adapter's other work.
const key = Symbol.for("sluice.verdict");

interface Carrier {
  [key]?: Verdict<LimiterPermit>;
}

/** Remembers the verdict on a request, for {@link verdictOf}. */
export function keepVerdict(request: object, verdict: Verdict<LimiterPermit>): void {
  (request as Carrier)[key] = verdict;
}

/**
 * The verdict on a request, or undefined if no limits applied to it or none were asked yet. If
 * several limits were asked one after the other, the latest. Never throws.
 *
 * @param request what the policy was given, or the request of Node.js under it.
 */
export function verdictOf(request: object): Verdict<LimiterPermit> | undefined {
  return (request as Carrier)[key];
}

/**
 * The permit that a request holds, or undefined if none. To note what the request used
 * (`usage`) or to ask for a refund (`refundAtEnd`); it is closed by itself when the response ends.
 * Never throws.
 *
 * @param request what the policy was given, or the request of Node.js under it.
 *
 * @example
 * ```ts
 * permitOf(req)?.usage({ tokens: answer.usage.total_tokens });
 * ```
 */
export function permitOf(request: object): LimiterPermit | undefined {
  const verdict = verdictOf(request);
  return verdict?.admitted ? verdict.permit : undefined;
}
