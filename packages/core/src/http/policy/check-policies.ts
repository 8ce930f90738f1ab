import { Problems } from "../../options/problems";

/** @throws InvalidOptionsError if there is none, or one is no function. */
export function checkPolicies(subject: string, policies: readonly unknown[]): void {
  const problems = new Problems(`${subject} policies`);
  if (policies.length === 0) problems.add("policies", "one policy or more", policies);
  policies.forEach((policy, index) => {
    if (typeof policy !== "function") problems.add(`policies[${index}]`, "a policy", policy);
  });
  problems.throwIfAny();
}
