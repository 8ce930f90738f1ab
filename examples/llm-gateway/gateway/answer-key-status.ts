import type { Limiter } from "@sluice/core";
import { type Answer, jsonAnswer } from "./answer";
import { ownDescriptor } from "./key-policy";
import type { Keys } from "./keys";

/** Says where the limits of a key stand, without charging anything. */
export function keyStatusAnswerer(
  limiter: Limiter,
  keys: Keys,
): (key: string | undefined) => Promise<Answer> {
  return async (key) => {
    const own = ownDescriptor(key, keys);
    const statuses = own === undefined ? [] : (await limiter.peek({ descriptors: [own] })).statuses;
    const limits = statuses.map(({ name, unit, max, used, remaining, resetAfterMs }) => {
      return { name, unit, max, used, remaining, resetAfterMs };
    });
    return jsonAnswer(200, { limits });
  };
}
