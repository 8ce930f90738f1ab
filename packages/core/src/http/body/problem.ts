import { answerKind } from "../answer-kind";
import { violatedPolicyNames } from "../policy-name";
import { waitMs } from "../retry-after";
import type { AnyRejected, RenderedBody } from "./rejection-body";
import { rejectionText } from "./rejection-text";

const registry = "https://iana.org/assignments/http-problem-types#";

/**
 * A refusal as a problem document: `type`, `title`, `status`, `detail`, `reason`,
 * `violated-policies` (when limits refused) and `retryAfterMs` (when known). Pure; never throws.
 *
 * @remarks RFC 9457; the types and `violated-policies` are those of
 * draft-ietf-httpapi-ratelimit-headers, `reason` and `retryAfterMs` are extensions of ours.
 */
export function problemBody(rejected: AnyRejected, status: number): RenderedBody {
  const { rejection, statuses } = rejected;
  const names = violatedPolicyNames(rejection.violated, statuses);
  const wait = waitMs(rejection);
  const problem = {
    ...typeAndTitle(rejected),
    status,
    detail: rejectionText(rejected),
    reason: rejection.reason,
    ...(names.length > 0 && { "violated-policies": names }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
  return { contentType: "application/problem+json", text: JSON.stringify(problem) };
}

function typeAndTitle({ rejection }: AnyRejected): { type: string; title: string } {
  const kind = answerKind(rejection.reason);
  return kind === "quota" || kind === "impossible"
    ? { type: `${registry}quota-exceeded`, title: "Quota exceeded" }
    : { type: `${registry}temporary-reduced-capacity`, title: "Temporarily reduced capacity" };
}
