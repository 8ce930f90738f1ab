import { setTimeout as sleep } from "node:timers/promises";
import { createGate, createLimiter, fastifyGate, fastifyLimits } from "@sluice/fastify";
import { prometheusRecorder } from "@sluice/prometheus";
import fastify, { type FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import { admissionLog } from "./log";
import { byUser, exports } from "./policies";

declare module "fastify" {
  interface FastifyRequest {
    /** Who calls, once that is known. */
    user: string | undefined;
  }
}

const EXPORT_MS = 500;

/** A Fastify app: the gate before everything, limits where the user is known, metrics and a log. */
export async function createApp(): Promise<FastifyInstance> {
  const registry = new Registry();
  const recorder = prometheusRecorder({ registry });
  const gate = createGate({ name: "door", maxInFlight: 100, recorder });
  const limiter = createLimiter({ recorder });
  recorder.watch({ gates: { door: gate }, limiters: { limiter } });

  const app = fastify();
  await app.register(fastifyGate, { gate });
  app.decorateRequest("user", undefined);
  app.addHook("onRequest", async (request) => {
    request.user = userOf(request.headers.authorization);
  });
  const admissionEvents = admissionLog();
  await app.register(fastifyLimits, { limiter, policy: byUser, admissionEvents });

  app.get("/orders", async (request) => ({ user: request.user ?? "nobody" }));
  app.get("/export", { config: { sluice: { limits: exports } } }, async () => {
    await sleep(EXPORT_MS);
    return { isExported: true };
  });
  // The gate lets this path through at any time; the limits are told to.
  app.get("/metrics", { config: { sluice: { limits: false } } }, async (_request, reply) => {
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  return app;
}

/** A stand-in for whatever authenticates your users. */
function userOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\w+)$/.exec(authorization ?? "")?.[1];
}
