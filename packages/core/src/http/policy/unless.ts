import type { Policy, Question } from "../../limiter/question";
import { Problems } from "../../options/problems";
import type { HttpRequest } from "../client/http-request";
import { strictBoolean } from "../strict-boolean";
import { type Soon, whenKnown } from "./when-known";

/** Whether something holds for a request. Anything but true and false is an error. */
export type RequestTest<Request = HttpRequest> = (request: Request) => Soon<boolean>;

/** The policy without limits: everything passes, uncounted. */
export const unlimited: Policy<unknown> = () => null;

/**
 * Makes a policy that no limits apply to requests for which a test holds, and `policy` to all
 * others: the skip and allow list of other libraries. Such requests are not counted. With a list of
 * tests, any of them suffices; they are asked in turn.
 *
 * The policy rejects, or throws, if a test answers anything but true or false: an object or a
 * promise of false would otherwise let everybody pass.
 *
 * @throws InvalidOptionsError if a test or the policy is no function.
 */
export function unless<Request = HttpRequest>(
  test: RequestTest<NoInfer<Request>> | readonly RequestTest<NoInfer<Request>>[],
  policy: Policy<NoInfer<Request>>,
): Policy<Request>;
export function unless<Request>(
  test: RequestTest<NoInfer<Request>> | readonly RequestTest<NoInfer<Request>>[],
  policy: Policy<Request>,
): Policy<Request>;
export function unless<Request>(
  test: RequestTest<Request> | readonly RequestTest<Request>[],
  policy: Policy<NoInfer<Request>>,
): Policy<Request>;
export function unless<Request>(
  test: RequestTest<Request> | readonly RequestTest<Request>[],
  policy: Policy<Request>,
): Policy<Request> {
  const tests = typeof test === "function" ? [test] : test;
  check(tests, policy);
  return (request) => askFrom(0, tests, policy, request);
}

function askFrom<Request>(
  index: number,
  tests: readonly RequestTest<Request>[],
  policy: Policy<Request>,
  request: Request,
): Soon<Question | null> {
  const test = tests[index];
  if (test === undefined) return policy(request);
  return whenKnown(test(request), (holds) =>
    strictBoolean(holds, "answer of a test of unless")
      ? null
      : askFrom(index + 1, tests, policy, request),
  );
}

function check(tests: unknown, policy: unknown): void {
  const problems = new Problems("unless arguments");
  const isSound =
    Array.isArray(tests) &&
    tests.length > 0 &&
    tests.every((test: unknown) => typeof test === "function");
  if (!isSound) problems.add("test", "a function, or a list of functions", tests);
  if (typeof policy !== "function") problems.add("policy", "a policy", policy);
  problems.throwIfAny();
}
