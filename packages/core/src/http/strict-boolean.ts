import { Problems } from "../options/problems";

/**
 * The answer of a caller's predicate. A promise or an object would count as true and turn limits
 * off for everybody, so anything but true and false is an error.
 *
 * @throws InvalidOptionsError if it is no boolean.
 */
export function strictBoolean(answer: unknown, what: string): boolean {
  if (typeof answer === "boolean") return answer;
  const problems = new Problems("predicate");
  problems.add(what, "true or false", answer);
  problems.throwIfAny();
  return false;
}
