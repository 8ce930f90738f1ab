import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { atMost, generations } from "../test/apps";
import { fastifyLimits, fastifyRejections, HttpRejectedError } from "./index";

let app: FastifyInstance;

afterEach(() => app.close());

const listen = () => app.listen({ port: 0, host: "127.0.0.1" });

describe.each(generations)("rejections of %s", (_name, fastify) => {
  it.each(["answer", "error"] as const)(
    "R054: carry nothing that was said of another body, with rejections: %s",
    async (rejections) => {
      app = fastify();
      app.addHook("onRequest", async (_request, reply) => {
        reply.headers({ "cache-control": "public, max-age=600", "content-encoding": "gzip" });
        reply.raw.setHeader("etag", '"1"');
      });
      app.register(fastifyLimits, { ...atMost(0), rejections });
      app.get("/", () => "ok");
      const { status, headers } = await fetch(await listen());
      expect([status, headers.get("ratelimit")]).toEqual([429, '"all";r=0']);
      const names = ["cache-control", "content-encoding", "etag"];
      expect(names.map((name) => headers.get(name))).toEqual([null, null, null]);
    },
  );

  it("R054: are what the error handler of their scope makes of them", async () => {
    app = fastify();
    app.setErrorHandler(() => "of the root");
    app.register(async (scope) => {
      scope.setErrorHandler((error, _request, reply) => {
        if (!(error instanceof HttpRejectedError)) throw error;
        return reply.code(503).headers(error.headers).send({ was: error.status });
      });
      scope.register(fastifyLimits, { ...atMost(0), rejections: "error" });
      scope.get("/", () => "ok");
    });
    const answer = await fetch(await listen());
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([503, '"all";r=0']);
    expect(await answer.json()).toEqual({ was: 429 });
  });

  it("R054: of limiter.run are answered, and all else is left to the handler around", async () => {
    app = fastify();
    const { limiter } = atMost(0);
    const { policy } = atMost(0);
    const passed: unknown[] = [];
    app.setErrorHandler((error, _request, reply) => {
      passed.push(error);
      return reply.code(502).send("around");
    });
    app.register(async (scope) => {
      scope.setErrorHandler(fastifyRejections());
      scope.get("/run", async (request, reply) => {
        reply.header("content-encoding", "gzip");
        return limiter.run((await policy(request)) ?? { descriptors: [] }, () => "ok");
      });
      scope.get("/error", () => Promise.reject(new Error("of the handler")));
      scope.get("/text", () => Promise.reject("a text"));
    });
    const origin = await listen();
    const rejected = await fetch(`${origin}/run`);
    expect([rejected.status, passed]).toEqual([429, []]);
    expect(rejected.headers.get("content-type")).toBe("application/problem+json");
    expect(await rejected.json()).toMatchObject({ status: 429 });
    expect((await fetch(`${origin}/error`)).status).toBe(502);
    expect((await fetch(`${origin}/text`)).status).toBe(502);
    expect(passed).toEqual([
      new Error("of the handler"),
      expect.objectContaining({ cause: "a text" }),
    ]);
  });
});
