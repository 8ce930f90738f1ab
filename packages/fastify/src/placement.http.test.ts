import { createGate, createLimiter, InvalidOptionsError, type Policy } from "@sluice/core";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atMost, generations, used } from "../test/apps";
import { until } from "../test/until";
import { collectWarnings } from "../test/warnings";
import { fastifyGate, fastifyLimits } from "./index";

let app: FastifyInstance;
let warnings: ReturnType<typeof collectWarnings>;

beforeEach(() => {
  warnings = collectWarnings();
});

afterEach(async () => {
  warnings.stop();
  await app.close();
});

const status = async (url: string) => (await app.inject(url)).statusCode;

/** The numbers of requests that each of these limits has counted. */
const usedOf = (...limits: Parameters<typeof used>[0][]) => Promise.all(limits.map(used));

describe.each(generations)("R089: a place in %s", (_name, fastify) => {
  it("before or after which the routes of the scope were added makes no difference", async () => {
    app = fastify();
    const limits = atMost(100);
    app.get("/before", () => "ok");
    app.register(async (child) => child.get("/in-scope-before", () => "ok"));
    app.register(fastifyLimits, limits);
    app.get("/after", () => "ok");
    app.register(async (child) => child.get("/in-scope-after", () => "ok"));
    const urls = ["/before", "/in-scope-before", "/after", "/in-scope-after", "/nothing"];
    for (const [index, url] of urls.entries()) {
      await app.inject(url);
      expect(await used(limits), url).toBe(index + 1);
    }
    expect(warnings.codes).toEqual([]);
  });

  it("in a scope limits that scope and those within", async () => {
    app = fastify();
    const limits = atMost(1);
    app.register(async (scope) => {
      scope.register(fastifyLimits, limits);
      scope.get("/limited", () => "ok");
      scope.register(async (inner) => inner.get("/inner", () => "ok"));
    });
    app.register(async (sibling) => sibling.get("/sibling", () => "ok"));
    app.get("/outside", () => "ok");
    expect(await status("/limited")).toBe(200);
    expect(await status("/inner")).toBe(429);
    expect([await status("/sibling"), await status("/outside")]).toEqual([200, 200]);
    expect(warnings.codes).toEqual([]);
  });

  it("in a scope without routes is warned of, once for each", async () => {
    app = fastify();
    app.register(async (scope) => {
      scope.register(fastifyLimits, atMost(1));
      scope.register(fastifyGate, { gate: createGate({ maxInFlight: 1 }) });
    });
    app.get("/", () => "ok");
    expect([await status("/"), await status("/")]).toEqual([200, 200]);
    await until("both are told", () => warnings.codes.length === 2);
    expect(warnings.codes).toEqual(["SLUICE_WITHOUT_ROUTES", "SLUICE_WITHOUT_ROUTES"]);
  });

  it("taken twice by the same limits charges a request once, also in a scope within", async () => {
    app = fastify();
    const limits = atMost(2);
    app.register(fastifyLimits, limits);
    app.register(fastifyLimits, { ...limits });
    app.register(async (inner) => {
      inner.register(fastifyLimits, limits);
      inner.get("/", () => "ok");
    });
    expect(await status("/")).toBe(200);
    expect(await used(limits)).toBe(1);
    expect([await status("/"), await status("/")]).toEqual([200, 429]);
  });

  it("taken by two gates of one kind counts a request once", async () => {
    app = fastify();
    const gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
    app.register(fastifyGate, { gate });
    app.register(fastifyGate, { gate });
    app.get("/", () => String(gate.stats().inFlight));
    expect((await app.inject("/")).body).toBe("1");
    await until("the slot is back", () => gate.stats().inFlight === 0);
  });

  it("taken by two limits has both act, and each count by itself", async () => {
    app = fastify();
    const wide = atMost(3, "wide");
    const narrow = atMost(1, "narrow");
    app.register(fastifyLimits, wide);
    app.register(fastifyLimits, { ...narrow, name: "narrow" });
    app.get("/", () => "ok");
    app.get("/wide-only", { config: { sluice: { narrow: false } } }, () => "ok");
    expect([await status("/"), await status("/")]).toEqual([200, 429]);
    expect(await status("/wide-only")).toBe(200);
    expect(await usedOf(wide, narrow)).toEqual([3, 1]);
    expect(await status("/wide-only")).toBe(429);
  });

  it("with the same limiter and another policy is another one", async () => {
    app = fastify();
    const { limiter } = atMost(1);
    const outer = { limiter, policy: atMost(5, "outer").policy };
    const inner = { limiter, policy: atMost(5, "inner").policy };
    app.register(fastifyLimits, outer);
    app.register(fastifyLimits, inner);
    app.get("/", () => "ok");
    expect(await status("/")).toBe(200);
    expect(await usedOf(outer, inner)).toEqual([1, 1]);
  });
});

describe.each(generations)("a route of %s", (_name, fastify) => {
  it("leaves limits and gate out", async () => {
    app = fastify();
    const limits = atMost(0);
    const gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
    await gate.enter();
    app.register(fastifyGate, { gate });
    app.register(fastifyLimits, limits);
    app.get("/free", { config: { sluice: { gate: false, limits: false } } }, () => "ok");
    app.get("/gated", { config: { sluice: { limits: false } } }, () => "ok");
    expect([await status("/free"), await status("/gated")]).toEqual([200, 503]);
  });

  it("is limited only if it says so, where limits are for named routes", async () => {
    app = fastify();
    app.register(fastifyLimits, { ...atMost(1), routes: "named" });
    app.get("/free", () => "ok");
    app.get("/limited", { config: { sluice: { limits: true } } }, () => "ok");
    expect([await status("/free"), await status("/free")]).toEqual([200, 200]);
    expect([await status("/limited"), await status("/limited")]).toEqual([200, 429]);
  });

  it("has a policy of its own, also for HEAD", async () => {
    app = fastify();
    const own = atMost(1, "own");
    const limits = { limiter: createLimiter(), policy: atMost(0).policy };
    app.register(fastifyLimits, limits);
    app.get("/", { config: { sluice: { limits: own.policy } } }, () => "ok");
    const answer = await app.inject({ method: "HEAD", url: "/" });
    expect([answer.statusCode, answer.headers.ratelimit]).toEqual([200, '"own";r=0;t=60']);
    expect(await status("/")).toBe(429);
  });

  it.each([
    [{ limts: false }, "limts: expected the name of a gate or of limits (known: limits)"],
    [{ limits: { max: 3 } }, "limits: expected true, false or a policy"],
  ])("is an error if it says what cannot be meant: %j", async (sluice, message) => {
    app = fastify();
    const errors: unknown[] = [];
    app.setErrorHandler((error, _request, reply) => {
      errors.push(error);
      return reply.code(500).send("handled");
    });
    app.get("/", { config: { sluice: sluice as never } }, () => "ok");
    app.register(fastifyLimits, atMost(1));
    expect([await status("/"), await status("/")]).toEqual([500, 500]);
    expect(errors[0]).toBeInstanceOf(InvalidOptionsError);
    expect((errors[1] as Error).message).toContain(message);
  });

  it.each(["onRequest", "preParsing", "preValidation", "preHandler"] as const)(
    "is judged in the hook %s",
    async (hook) => {
      app = fastify();
      const order: string[] = [];
      for (const each of ["onRequest", "preValidation", "preHandler"] as const) {
        app.addHook(each, async () => void order.push(each));
      }
      app.addHook("preParsing", async (_request, _reply, payload) => {
        order.push("preParsing");
        return payload;
      });
      const policy: Policy<FastifyRequest> = (request) => {
        order.push(`policy ${JSON.stringify(request.body ?? null)}`);
        return null;
      };
      const gate = createGate({ maxInFlight: 1 });
      app.register(fastifyGate, { gate, hook });
      app.register(fastifyLimits, { limiter: createLimiter(), policy, hook });
      app.post("/", () => "ok");
      const answer = await app.inject({ method: "POST", url: "/", payload: { user: 1 } });
      expect(answer.statusCode).toBe(200);
      const hooks = ["onRequest", "preParsing", "preValidation", "preHandler"];
      const at = hooks.indexOf(hook) + 1;
      const body = at > 2 ? '{"user":1}' : "null";
      expect(order).toEqual([...hooks.slice(0, at), `policy ${body}`, ...hooks.slice(at)]);
    },
  );
});
