import { InvalidOptionsError, type LimiterPermit, type Verdict } from "@sluice/core";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { atMost, generations, used } from "../test/apps";
import { until } from "../test/until";
import { fastifyLimits, permitOf, type RefundWhen } from "./index";

let app: FastifyInstance;

afterEach(() => app.close());

const listen = () => app.listen({ port: 0, host: "127.0.0.1" });

describe.each(generations)("limits of %s", (_name, fastify) => {
  it("let requests through with headers and a verdict", async () => {
    app = fastify();
    app.register(fastifyLimits, atMost(2));
    app.get("/", (request) => {
      const verdict: Verdict<LimiterPermit> | undefined = request.verdict;
      return { admitted: verdict?.admitted, hasPermit: permitOf(request) !== undefined };
    });
    const answer = await fetch(await listen());
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, '"all";r=1;t=60']);
    expect(await answer.json()).toEqual({ admitted: true, hasPermit: true });
  });

  it("send a rejection through the hooks of the application, once", async () => {
    app = fastify();
    const sent: unknown[] = [];
    app.addHook("onSend", async (request, reply, payload) => {
      sent.push([reply.statusCode, request.verdict?.admitted, typeof payload]);
      reply.header("x-seen", "yes");
    });
    app.register(fastifyLimits, atMost(0));
    let calls = 0;
    app.get("/", () => `${++calls}`);
    const answer = await fetch(await listen());
    expect(answer.status).toBe(429);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-seen")).toBe("yes");
    expect(await answer.json()).toMatchObject({ status: 429, reason: "cost_exceeds_limit" });
    expect([sent, calls]).toEqual([[[429, false, "string"]], 0]);
  });

  it("answer HEAD, routes that do not exist, and an own 404 handler", async () => {
    app = fastify();
    app.setNotFoundHandler((_request, reply) => reply.code(404).send("mine"));
    app.register(fastifyLimits, atMost(3));
    app.get("/", () => "hello");
    const origin = await listen();
    const head = () => fetch(origin, { method: "HEAD" });
    expect((await head()).status).toBe(200);
    expect((await fetch(`${origin}/nothing`)).headers.get("ratelimit")).toBe('"all";r=1;t=60');
    expect(await (await fetch(`${origin}/nothing`)).text()).toBe("mine");
    expect((await fetch(`${origin}/nothing`)).status).toBe(429);
    const rejected = await head();
    expect([rejected.status, await rejected.text()]).toEqual([429, ""]);
    expect(rejected.headers.get("retry-after")).toBe("60");
  });

  it("are in force at a 404 that nobody has made a handler for", async () => {
    app = fastify();
    app.register(fastifyLimits, atMost(1));
    app.get("/", () => "hello");
    const origin = await listen();
    expect((await fetch(`${origin}/nothing`)).status).toBe(404);
    expect((await fetch(`${origin}/nothing`)).status).toBe(429);
  });

  it.each([
    ["rejects", () => Promise.reject(new TypeError("from the policy")), "from the policy"],
    ["rejects with no error", () => Promise.reject(), /received undefined/],
    ["asks a malformed question", () => ({}) as never, /descriptors/],
  ])("pass it to the error handler once if the policy %s", async (_what, policy, message) => {
    app = fastify();
    const errors: Error[] = [];
    app.setErrorHandler((error: Error, _request, reply) => {
      errors.push(error);
      return reply.code(500).send("handled");
    });
    app.register(fastifyLimits, { ...atMost(1), policy });
    app.get("/", () => "hello");
    const answer = await fetch(await listen());
    expect([answer.status, await answer.text()]).toEqual([500, "handled"]);
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
  });

  it("keep their headers on an error of the handler", async () => {
    app = fastify();
    app.register(fastifyLimits, atMost(2));
    app.get("/", () => Promise.reject(new Error("from the handler")));
    const answer = await fetch(await listen());
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([500, '"all";r=1;t=60']);
  });

  it("charge and settle what is injected without a connection", async () => {
    app = fastify();
    const limits = atMost(2);
    const ends: unknown[] = [];
    const refundWhen: RefundWhen<FastifyRequest> = ({ request, status, isComplete, outcome }) => {
      ends.push([request.url, status, isComplete, outcome]);
      return status === 401;
    };
    app.register(fastifyLimits, { ...limits, refundWhen });
    app.get("/", () => "hello");
    app.get("/login", (_request, reply) => reply.code(401).send("no"));
    const answer = await app.inject("/");
    expect([answer.statusCode, answer.headers.ratelimit]).toEqual([200, '"all";r=1;t=60']);
    expect((await app.inject("/login")).statusCode).toBe(401);
    await until("both have ended", () => ends.length === 2);
    expect(ends).toEqual([
      ["/", 200, true, "success"],
      ["/login", 401, true, "success"],
    ]);
    expect(await used(limits)).toBe(1);
    expect((await app.inject("/")).statusCode).toBe(200);
    expect((await app.inject("/")).statusCode).toBe(429);
  });

  it("name every problem of their options when the application gets ready", async () => {
    app = fastify();
    const options = { limiter: 1, polcy: () => null, hook: "onSend", name: "", routes: true };
    app.register(fastifyLimits, options as never);
    const error = await app.ready().then(undefined, (error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect((error as InvalidOptionsError).problems.map(({ path }) => path)).toEqual([
      "polcy",
      "limiter",
      "policy",
      "hook",
      "name",
      "routes",
    ]);
  });
});
