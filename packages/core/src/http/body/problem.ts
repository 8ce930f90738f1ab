import { answerKind } from "../answer-kind";
import { violatedPolicyNames } from "../policy-name";
import { type PoolRefusal, poolRefusal } from "../pool-refusal";
import { waitMs } from "../retry-after";
import type { AnyRejected, RenderedBody } from "./rejection-body";
import { rejectionText } from "./rejection-text";

const registry = "https://iana.org/assignments/http-problem-types#";

/**
 * A refusal as a problem document: `type`, `title`, `status`, `detail`, `reason`,
 * `violated-policies` (when limits refused), `retryAfterMs` (when known) and `pool` (when one
 * refused). Pure; never throws.
 *
 * @remarks RFC 9457; the types and `violated-policies` are those of
 * draft-ietf-httpapi-ratelimit-headers, `reason`, `retryAfterMs` and `pool` are extensions of ours.
 */
export function problemBody(rejected: AnyRejected, status: number): RenderedBody {
  const { rejection, statuses } = rejected;
  const names = violatedPolicyNames(rejection.violated, statuses);
  const wait = waitMs(rejection);
  const refusal = poolRefusal(rejected);
  const problem = {
    ...typeAndTitle(rejected),
    status,
    detail: rejectionText(rejected),
    reason: rejection.reason,
    ...(names.length > 0 && { "violated-policies": names }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(refusal !== undefined && { pool: poolMember(refusal) }),
  };
  return { contentType: "application/problem+json", text: JSON.stringify(problem) };
}

function typeAndTitle({ rejection }: AnyRejected): { type: string; title: string } {
  const kind = answerKind(rejection.reason);
  return kind === "quota" || kind === "impossible"
    ? { type: `${registry}quota-exceeded`, title: "Quota exceeded" }
    : { type: `${registry}temporary-reduced-capacity`, title: "Temporarily reduced capacity" };
}

/** What a client needs to tell a full pool from a class that is held to its share. */
function poolMember({ status, units }: PoolRefusal): Readonly<Record<string, unknown>> {
  const { name, unit, pool } = status;
  return {
    name,
    priority: pool.class,
    ceiling: pool.ceiling,
    unit,
    saturation: pool.saturation,
    units: units.map((each) => ({
      unit: each.unit,
      limit: each.max,
      remaining: each.remaining,
      guaranteed: each.pool.guaranteed,
      used: each.pool.used,
      ...(each.pool.ceiling !== undefined && { ceiling: each.pool.ceiling }),
    })),
  };
}
