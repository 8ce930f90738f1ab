/** What a client has seen of its calls within a window. */
export interface CallCounts {
  /** Calls whose fate is known, those that the client itself refused included. */
  readonly requests: number;
  /** Those of them that the upstream accepted. */
  readonly accepts: number;
}

/**
 * The probability (0 to below 1) with which a client refuses its next call:
 * max(0, (requests - k * accepts) / (requests + 1)).
 *
 * With demand D and an upstream that accepts A per second, calls go through at the rate F. Because
 * local refusals count as requests, requests = D, so F = D * (1 - p) = D * k * A / D = k * A: what
 * is sent settles at `k` times what is accepted, however large the demand is. (Were only forwarded
 * calls counted, F would grow with the root of D.)
 *
 * @remarks "Handling Overload" in Google's Site Reliability Engineering, with the same formula.
 */
export function throttleProbability({ requests, accepts }: CallCounts, k: number): number {
  return Math.max(0, (requests - k * accepts) / (requests + 1));
}
