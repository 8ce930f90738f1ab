import type { Policy } from "../../limiter/question";
import { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";
import type { HttpRequest } from "../client/http-request";
import { type Soon, whenKnown } from "./when-known";

/** What {@link choose} takes. */
export interface ChooseOptions<Request> {
  /** The name of the policy for a request, such as the route that matched it, or its plan. */
  readonly by: (request: Request) => Soon<string | null | undefined>;
  /** The policies by name. */
  readonly policies: Readonly<Record<string, Policy<NoInfer<Request>>>>;
  /** Asked when there is no name, or none of the policies has it. */
  readonly otherwise: Policy<NoInfer<Request>>;
}

/**
 * Makes a policy that asks one of several, by a name that it finds in the request.
 *
 * For routes, let `by` be the route that the framework has matched, not the path that the client
 * has sent: one route has many spellings (`/login`, `/LOGIN`, `/login/`, `/%6cogin`).
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function choose<Request = HttpRequest>(options: ChooseOptions<Request>): Policy<Request> {
  const problems = new Problems("choose options");
  const reader = new OptionsReader(options, ["by", "policies", "otherwise"], problems);
  for (const name of ["by", "otherwise"]) {
    if (typeof reader.raw(name) !== "function") reader.problem(name, "a function");
  }
  const policies = readPolicies<Request>(reader, problems);
  problems.throwIfAny();
  const { by, otherwise } = options;
  return (request) =>
    whenKnown(by(request), (name) => {
      const policy = typeof name === "string" ? policies.get(name) : undefined;
      return (policy ?? otherwise)(request);
    });
}

function readPolicies<Request>(
  reader: OptionsReader,
  problems: Problems,
): ReadonlyMap<string, Policy<Request>> {
  const value = reader.raw("policies");
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    reader.problem("policies", "an object of policies by name");
    return new Map();
  }
  for (const [name, policy] of Object.entries(value)) {
    if (typeof policy !== "function") problems.add(`policies.${name}`, "a policy", policy);
  }
  return new Map(Object.entries(value));
}
