import { Problems } from "../../options/problems";

/** An id, or a list of them, of which some may be missing. */
export type MaybeId = string | readonly (string | null | undefined)[] | null | undefined;

/** Whether an id names nobody. What is wrong in another way is told by the limiter. */
export function isMissing(id: unknown): boolean {
  return isNothing(id) || (Array.isArray(id) && (id.length === 0 || id.some(isNothing)));
}

function isNothing(part: unknown): boolean {
  return part === undefined || part === null || part === "";
}

/**
 * The limiter would refuse such an id as well; this error says what a policy can do about it.
 *
 * @throws InvalidOptionsError
 */
export function throwMissing(id: unknown, kind: string): never {
  const problems = new Problems(`question of kind ${kind}`);
  problems.add("id", "somebody's id (or `otherwise`, for requests without one)", id);
  problems.throwIfAny();
  throw new TypeError("unreachable");
}
