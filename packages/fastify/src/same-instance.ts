import type { Judge } from "@sluice/node";
import type { FastifyRequest } from "fastify";

interface Registered {
  readonly judge: Judge<FastifyRequest>;
  readonly sources: readonly unknown[];
}

/** What is registered in the scopes of an application, by its server. */
const registered = new WeakMap<object, Registered[]>();

/**
 * The judge that was registered with the same sources before (name, and limiter and policy or gate)
 * anywhere in the application, or this one.
 */
export function sameOr(
  server: object,
  judge: Judge<FastifyRequest>,
  sources: readonly unknown[],
): Judge<FastifyRequest> {
  const others = registered.get(server) ?? [];
  registered.set(server, others);
  const same = others.find((other) => isSame(other.sources, sources));
  if (same !== undefined) return same.judge;
  others.push({ judge, sources });
  return judge;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
