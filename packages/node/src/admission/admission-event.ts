import type { Milliseconds, Outcome, Reason } from "@sluice/core";

/** About how much something was: bytes or tokens, by powers of ten. */
export type SizeBucket = "0" | "<1k" | "<10k" | "<100k" | "<1M" | "<10M" | "<100M" | ">=100M";

/**
 * What became of one request at one gate or at one set of limits. Flat, for logs: numbers, words of
 * closed lists, and names from allow-lists; no ids of callers, no headers, no bodies. A name that
 * is not allowed is `redacted`; what is not known is absent.
 */
export interface AdmissionEvent {
  /** Of this shape; it changes when a field changes its meaning. */
  readonly version: 1;
  /** What is running: `controllerVersion` of the log. */
  readonly controllerVersion: string;
  /** When the answer of gate or limits was there, in milliseconds of the Unix epoch. */
  readonly timestampMs: Milliseconds;
  readonly mechanism: "gate" | "limits";
  /** `shadow`: admitted, although something in shadow would have refused it. */
  readonly decision: "admitted" | "rejected" | "shadow";
  /** Why it was refused, or would have been. */
  readonly reason?: Reason;
  /** Of a refusal: whether the same request may pass later. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: Milliseconds;
  /** How it counts for load. Absent for refusals. */
  readonly outcome?: Outcome;
  /** The status that was sent; absent if the client left before there was one. */
  readonly httpStatus?: number;
  /** Whether the client was sent the whole answer. */
  readonly complete: boolean;
  /** From the answer of gate or limits to the end of the response. */
  readonly heldMs: Milliseconds;

  /** Gate: requests that hold a slot (this one included, if it was let in), and those that wait. */
  readonly inFlight?: number;
  readonly queueDepth?: number;
  /** Gate: how long this request waited for its slot, or until it was refused. */
  readonly queueWaitMs?: Milliseconds;
  /** Gate: its cap. Limits: the `max` of the limit that refuses or would, or has the least left. */
  readonly limit?: number;
  /** Limits: the name of that limit, the kind of its descriptor, and its window. */
  readonly limitName?: string;
  readonly kind?: string;
  readonly windowMs?: Milliseconds;
  /** Gate: the latency that counts as a sample, and what ended it. */
  readonly sampleMs?: Milliseconds;
  readonly sampleBoundary?: "first_byte" | "end";
  /** Gate: what its adaptive limit takes for the latency without a queue. */
  readonly baselineMs?: Milliseconds;

  readonly requestSize?: SizeBucket;
  /** Head and body, as far as that can be told. */
  readonly responseSize?: SizeBucket;
  readonly tokenEstimate?: SizeBucket;

  readonly requestId?: string;
  readonly route?: string;
  readonly provider?: string;
  readonly region?: string;
  readonly modelClass?: string;
  readonly trafficClass?: string;
  readonly streaming?: boolean;
  /** Which attempt of the caller this is, 1 to 100. */
  readonly attempt?: number;
}
