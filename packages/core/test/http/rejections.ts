import type { Descriptor } from "../../src/descriptor/descriptor";
import type { GateRejected } from "../../src/gate/gate";
import type { Limit } from "../../src/limit/limit";
import type { LimitStatus, Reason, Rejected } from "../../src/verdict/verdict";

/** Where a limit stands in a test; what is left out is an admitted, untouched limit. */
export interface Standing {
  readonly kind?: string;
  readonly id?: string;
  readonly used?: number;
  readonly resetAfterMs?: number;
  readonly retryAfterMs?: number;
  readonly admitted?: boolean;
  readonly source?: LimitStatus["source"];
}

/** The status of one limit that is alone in its descriptor. */
export function standing(limit: Limit, facts: Standing = {}): LimitStatus {
  const { kind = "api_key", id = "k1", used = 0, retryAfterMs } = facts;
  const descriptor: Descriptor = { kind, id, limits: [limit] };
  return {
    descriptor,
    name: limit.name,
    unit: limit.unit,
    max: limit.max,
    used,
    remaining: Math.max(0, limit.max - used),
    resetAfterMs: facts.resetAfterMs ?? 0,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    admitted: facts.admitted ?? true,
    source: facts.source ?? "store",
  };
}

/** A refusal by a limiter; the violated checks are the statuses that did not pass. */
export function rejectedFor(
  reason: Reason,
  statuses: readonly LimitStatus[],
  wait: { readonly retryAfterMs?: number; readonly retryable?: boolean } = {},
): Rejected {
  const { retryAfterMs, retryable = true } = wait;
  return {
    admitted: false,
    rejection: {
      reason,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      retryable,
      violated: statuses.filter((status) => !status.admitted),
    },
    statuses,
  };
}

/** A refusal by a gate with one request in flight and one queued, unless told otherwise. */
export function gateRejected(
  reason: Reason,
  counts: {
    readonly inFlight?: number;
    readonly queued?: number;
    readonly degraded?: unknown;
  } = {},
): GateRejected {
  const { inFlight = 1, queued = 1, degraded } = counts;
  return {
    ...rejectedFor(reason, [], { retryAfterMs: 1000 }),
    inFlight,
    queued,
    ...(degraded !== undefined && { degraded }),
  };
}
