import { createLimiter, fixedWindow, type Limiter, type Policy } from "@sluice/core";
import express5, { type Request } from "express";
import express4 from "express-4";

export type Express = typeof express5;

/** Both generations, for `describe.each`. */
export const generations: readonly (readonly [string, Express])[] = [
  ["Express 4", express4],
  ["Express 5", express5],
];

export interface Limits {
  readonly limiter: Limiter;
  readonly policy: Policy<Request>;
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
  const question = await policy({} as Request);
  if (question === null) return undefined;
  return (await limiter.peek(question)).statuses[0]?.used;
}
