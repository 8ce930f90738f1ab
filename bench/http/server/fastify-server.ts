import type { Server } from "node:http";
import fastifyRateLimit from "@fastify/rate-limit";
import { fastifyGate, fastifyLimits } from "@sluice/fastify";
import Fastify, { type FastifyInstance } from "fastify";
import { LIST, PATH } from "../answer";
import { ingredientsOf, isRejecting, type Stack } from "../server-name";
import { HOUR_MS, maxOf } from "./numbers";
import { gateOptions, keyOf, limitsOptions } from "./ours";

/** Above the number of callers. */
const KEYS_MAX = 20_000;

const fields = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

export async function fastifyServer(stack: Stack): Promise<Server> {
  const app = Fastify();
  const ours = ingredientsOf(stack);
  if (ours?.hasGate) await app.register(fastifyGate, gateOptions());
  // Three fields, as the peer sends.
  if (ours !== undefined) await app.register(fastifyLimits, limitsOptions(ours, "legacy"));
  if (stack.startsWith("peer")) await registerPeer(app, stack);
  app.get(PATH, (_request, reply) => reply.send(LIST));
  await app.ready();
  return app.server;
}

async function registerPeer(app: FastifyInstance, stack: Stack): Promise<void> {
  const hasHeaders = stack !== "peer, no headers";
  const addHeaders = Object.fromEntries(fields.map((name) => [name, hasHeaders]));
  await app.register(fastifyRateLimit, {
    max: maxOf(isRejecting(stack)),
    timeWindow: HOUR_MS,
    cache: KEYS_MAX,
    keyGenerator: keyOf,
    addHeaders,
  });
}
