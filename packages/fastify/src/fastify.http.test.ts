import { createGate, createLimiter, fixedWindow, InvalidOptionsError } from "@sluice/core";
import { type FastifyInstance, fastify as fastify5 } from "fastify";
import { fastify as fastify4 } from "fastify-4";
import { afterEach, describe, expect, it } from "vitest";
import { fastifyGate, fastifyLimits } from "./index";

let app: FastifyInstance;

afterEach(() => app.close());

const perMinute = fixedWindow({ unit: "requests", max: 1, windowMs: 60_000, name: "per-minute" });

describe.each([
  ["Fastify 4", fastify4 as unknown as typeof fastify5],
  ["Fastify 5", fastify5],
])("limits of %s", (_name, fastify) => {
  it("let requests through with headers and a verdict, and answer those beyond", async () => {
    app = fastify();
    app.register(fastifyLimits, {
      limiter: createLimiter(),
      policy: (request) => ({
        descriptors: [{ kind: "address", id: request.ip, limits: [perMinute] }],
      }),
    });
    app.get("/", (request) => request.verdict?.admitted);
    const origin = await app.listen({ port: 0 });
    const first = await fetch(origin);
    expect([first.status, await first.json()]).toEqual([200, true]);
    expect(first.headers.get("ratelimit")).toBe('"per-minute";r=0;t=60');
    const second = await fetch(origin);
    expect(second.status).toBe(429);
    expect(second.headers.get("content-type")).toBe("application/problem+json");
    expect(await second.json()).toMatchObject({ reason: "window_exhausted" });
  });
});
