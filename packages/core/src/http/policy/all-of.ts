import type { Policy, Question } from "../../limiter/question";
import { Problems } from "../../options/problems";
import type { HttpRequest } from "../client/http-request";
import { checkPolicies } from "./check-policies";
import { whenAllKnown } from "./when-known";

/**
 * Makes one question of several policies: the request passes only if the limits of all of them
 * admit it, and if one refuses, none is charged. Policies that say null are left out; if all do, no
 * limits apply.
 *
 * A question has one cost: where one policy says what a request costs in a unit, that is its cost
 * for all of them. The shortest `maxWaitMs` holds, and a wait ends by any of their signals.
 *
 * The policy rejects, or throws, if two policies say different costs in a unit or different
 * priorities.
 *
 * @throws InvalidOptionsError if there is no policy, or one is no function.
 */
export function allOf<Request = HttpRequest>(
  ...policies: readonly Policy<NoInfer<Request>>[]
): Policy<Request>;
export function allOf<Request>(...policies: readonly Policy<Request>[]): Policy<Request>;
export function allOf<Request>(...policies: readonly Policy<Request>[]): Policy<Request> {
  checkPolicies("allOf", policies);
  return (request) =>
    whenAllKnown<Question | null, Question | null>(
      policies.map((policy) => () => policy(request)),
      (asked) => {
        const questions = asked.filter((question) => question !== null);
        return questions.length === 0 ? null : questions.reduce(joined);
      },
    );
}

function joined(one: Question, other: Question): Question {
  const problems = new Problems("question of allOf");
  const question = {
    descriptors: [...one.descriptors, ...other.descriptors],
    cost: joinedCost(one.cost, other.cost, problems),
    priority: joinedPriority(one.priority, other.priority, problems),
    maxWaitMs: least(one.maxWaitMs, other.maxWaitMs),
    signal: joinedSignal(one.signal, other.signal),
  };
  problems.throwIfAny();
  return question;
}

function joinedCost(
  one: Question["cost"],
  other: Question["cost"],
  problems: Problems,
): Question["cost"] {
  if (one === undefined || other === undefined) return one ?? other;
  for (const [unit, amount] of Object.entries(other)) {
    const before = Object.hasOwn(one, unit) ? one[unit] : undefined;
    if (before === undefined || before === amount) continue;
    problems.add(`cost.${unit}`, `the ${before} that another policy says`, amount);
  }
  return { ...one, ...other };
}

function joinedPriority(
  one: string | undefined,
  other: string | undefined,
  problems: Problems,
): string | undefined {
  if (one !== undefined && other !== undefined && one !== other) {
    problems.add("priority", `the ${JSON.stringify(one)} that another policy says`, other);
  }
  return one ?? other;
}

/** A policy that does not say how long to wait does not wait. */
function least(one = 0, other = 0): number {
  return Math.min(one, other);
}

function joinedSignal(one: Question["signal"], other: Question["signal"]): Question["signal"] {
  if (one === undefined || other === undefined || one === other) return one ?? other;
  return AbortSignal.any([one, other]);
}
