import type { Descriptor } from "../../descriptor/descriptor";
import type { Policy, Question } from "../../limiter/question";
import type { HttpRequest } from "../client/http-request";
import { type LimitByConfig, type LimitByOptions, parseLimitByOptions } from "./limit-by-options";
import { isMissing, type MaybeId, throwMissing } from "./missing-id";
import { type Soon, whenKnown } from "./when-known";

/**
 * Makes the policy of one subject: by client address, user, API key, route, or anything that a
 * request tells. Several limits of one subject hold together; for several subjects see
 * {@link allOf}.
 *
 * The policy rejects, or throws, if the id is missing and there is no `otherwise`.
 *
 * @throws InvalidOptionsError listing every problem.
 *
 * @example
 * ```ts
 * const policy = limitBy({
 *   kind: "api_key",
 *   id: (req) => keyOwner(req.headers["x-api-key"]),
 *   limits: [fixedWindow({ max: 100, windowMs: 60_000 })],
 *   otherwise: limitBy({ kind: "client", id: clientAddress(), limits: strangers }),
 * });
 * ```
 */
export function limitBy<Request = HttpRequest>(options: LimitByOptions<Request>): Policy<Request> {
  const config = parseLimitByOptions(options);
  return (request) => whenKnown(config.idOf(request), (id) => ask(request, id, config));
}

function ask<Request>(
  request: Request,
  id: MaybeId,
  config: LimitByConfig<Request>,
): Soon<Question | null> {
  const { kind, otherwise, maxWaitMs } = config;
  if (isMissing(id)) return otherwise === undefined ? throwMissing(id, kind) : otherwise(request);
  return whenKnown(config.limitsOf(request), (limits) => {
    if (limits === null) return null;
    const descriptors = [{ kind, id: id as Descriptor["id"], limits }];
    return whenKnown(config.costOf(request), (cost) =>
      whenKnown(config.priorityOf(request), (priority) => ({
        descriptors,
        cost,
        priority,
        maxWaitMs,
      })),
    );
  });
}
