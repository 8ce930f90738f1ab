import { createLimiter, fixedWindow, type Limiter, type Policy } from "@sluice/core";
import { type FastifyRequest, fastify as fastify5 } from "fastify";
import { fastify as fastify4 } from "fastify-4";

export type Fastify = typeof fastify5;

/** Both generations, for `describe.each`. That of 4 is typed as if it were 5. */
export const generations: readonly (readonly [string, Fastify])[] = [
  ["Fastify 4", fastify4 as unknown as Fastify],
  ["Fastify 5", fastify5],
];

export interface Limits {
  readonly limiter: Limiter;
  readonly policy: Policy<FastifyRequest>;
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
  const question = await policy({} as FastifyRequest);
  if (question === null) return undefined;
  return (await limiter.peek(question)).statuses[0]?.used;
}
