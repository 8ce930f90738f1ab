import type Koa from "koa";
import { afterEach, describe, expect, it } from "vitest";
import { atMost, generations } from "../test/apps";
import { type Served, serve } from "../test/serve";
import { HttpRejectedError, koaLimits } from "./index";

let served: Served | undefined;

afterEach(() => served?.close());

async function ask(app: Koa): Promise<Response> {
  served = await serve(app.callback());
  return fetch(served.origin);
}

describe.each(generations)("rejections of %s", (_name, Application) => {
  it.each(["answer", "error"] as const)(
    "R054: carry nothing that was said of another body, with rejections: %s",
    async (rejections) => {
      const app = new Application();
      app.use((ctx, next) => {
        ctx.set({ "cache-control": "public, max-age=600", "content-encoding": "gzip" });
        return next();
      });
      app.use(koaLimits({ ...atMost(0), rejections }));
      const { status, headers } = await ask(app);
      expect([status, headers.get("ratelimit")]).toEqual([429, '"all";r=0']);
      expect(headers.get("cache-control")).toBe(null);
      expect(headers.get("content-encoding")).toBe(null);
    },
  );

  it("R054: are sent where the response was taken from Koa before and nobody has answered", async () => {
    const app = new Application();
    app.use((ctx, next) => {
      ctx.respond = false;
      return next();
    });
    app.use(koaLimits(atMost(0)));
    const answer = await ask(app);
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([429, '"all";r=0']);
    expect(await answer.json()).toMatchObject({ status: 429 });
  });

  it("R054: are seen by who catches them, with status and headers", async () => {
    const app = new Application();
    app.use(async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        if (!(error instanceof HttpRejectedError)) throw error;
        ctx.status = error.status;
        ctx.set(error.headers);
        ctx.body = { reason: error.verdict.rejection.reason };
      }
    });
    app.use(koaLimits({ ...atMost(0), rejections: "error" }));
    const answer = await ask(app);
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([429, '"all";r=0']);
    expect(await answer.json()).toEqual({ reason: "cost_exceeds_limit" });
  });

  it.each([
    ["took the response over", { respond: false }],
    ["had set a body", { body: { of: "the handler" } }],
  ])("R054: of limiter.run are answered when the handler %s before", async (_what, before) => {
    const app = new Application();
    const { limiter, policy } = atMost(0);
    app.use(koaLimits(atMost(9)));
    app.use(async (ctx) => {
      Object.assign(ctx, before);
      await limiter.run((await policy(ctx)) ?? { descriptors: [] }, () => {});
    });
    const answer = await ask(app);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(await answer.json()).toMatchObject({ status: 429 });
  });
});
