import { createLimiter, fixedWindow, type Limiter, type Policy } from "@sluice/core";
import Koa3, { type ParameterizedContext } from "koa";
import Koa2 from "koa-2";

/** Both generations, for `describe.each`. */
export const generations: readonly (readonly [string, typeof Koa3])[] = [
  ["Koa 2", Koa2],
  ["Koa 3", Koa3],
];

export interface Limits {
  readonly limiter: Limiter;
  readonly policy: Policy<ParameterizedContext>;
}

/** Limits of so many requests in all, with a limiter of their own. */
export function atMost(max: number, name = "all"): Limits {
  const limit = fixedWindow({ unit: "requests", max, windowMs: 60_000, name });
  return {
    limiter: createLimiter(),
    policy: () => ({ descriptors: [{ kind: "site", id: "all", limits: [limit] }] }),
  };
}

/** How many requests these limits have counted. */
export async function used({ limiter, policy }: Limits): Promise<number | undefined> {
  const question = await policy({} as ParameterizedContext);
  if (question === null) return undefined;
  return (await limiter.peek(question)).statuses[0]?.used;
}
