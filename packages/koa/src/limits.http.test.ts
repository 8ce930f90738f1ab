import { InvalidOptionsError, type LimiterPermit, type Policy, type Verdict } from "@sluice/core";
import Koa, { type ParameterizedContext } from "koa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atMost, generations, used } from "../test/apps";
import { type Served, serve } from "../test/serve";
import { until } from "../test/until";
import { collectWarnings } from "../test/warnings";
import { koaLimits, permitOf, type RefundWhen, verdictOf } from "./index";

let served: Served | undefined;
let warnings: ReturnType<typeof collectWarnings>;
let errors: Error[];

beforeEach(() => {
  warnings = collectWarnings();
  errors = [];
});

afterEach(async () => {
  warnings.stop();
  await served?.close();
});

/** Starts the application and returns a client of it. */
async function start(app: Koa, init?: RequestInit): Promise<(path?: string) => Promise<Response>> {
  app.on("error", (error) => errors.push(error));
  served = await serve(app.callback());
  const { origin } = served;
  return (path = "/") => fetch(origin + path, init);
}

describe.each(generations)("limits of %s", (_name, Application) => {
  it("let requests through with headers and a verdict", async () => {
    const app = new Application();
    app.use(koaLimits(atMost(2)));
    app.use((ctx) => {
      const verdict: Verdict<LimiterPermit> | undefined = verdictOf(ctx);
      ctx.body = [verdict === ctx.state.verdict, permitOf(ctx) !== undefined];
    });
    const get = await start(app);
    const answer = await get();
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, '"all";r=1;t=60']);
    expect(await answer.json()).toEqual([true, true]);
  });

  it("R054: set a rejection that those before them can see and change", async () => {
    const app = new Application();
    const seen: unknown[] = [];
    app.use(async (ctx, next) => {
      await next();
      seen.push([ctx.status, ctx.state.verdict.admitted]);
      if (ctx.get("accept") === "text/plain") ctx.body = "slow down";
    });
    app.use(koaLimits(atMost(0)));
    app.use((ctx) => {
      ctx.body = "ok";
    });
    const get = await start(app, { headers: { accept: "text/plain" } });
    const changed = await get();
    expect([changed.status, await changed.text()]).toEqual([429, "slow down"]);
    const plain = await fetch(served?.origin ?? "");
    expect(plain.headers.get("content-type")).toBe("application/problem+json");
    expect(await plain.json()).toMatchObject({ reason: "cost_exceeds_limit" });
    const head = await fetch(served?.origin ?? "", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([429, ""]);
    expect(seen[0]).toEqual([429, false]);
    expect(errors).toEqual([]);
  });

  it.each([
    ["throws", () => JSON.parse("{"), "SyntaxError"],
    ["rejects", () => Promise.reject(new TypeError("of the policy")), "TypeError"],
    ["rejects with no error", () => Promise.reject(), "Error"],
    ["asks a malformed question", () => ({}) as never, "InvalidOptionsError"],
  ])("throw, once, what it does if the policy %s", async (_what, policy, name) => {
    const app = new Application();
    const caught: unknown[] = [];
    app.use(async (_ctx, next) => {
      await next().catch((error: Error) => {
        caught.push(error.name);
        throw error;
      });
    });
    app.use(koaLimits({ ...atMost(1), policy }));
    const get = await start(app);
    expect((await get()).status).toBe(500);
    expect([caught, errors.map((error) => error.name)]).toEqual([[name], [name]]);
  });

  it("R089: charge a request once if used twice, or if the stack runs again", async () => {
    const app = new Application();
    const limits = atMost(2);
    const middleware = koaLimits(limits);
    app.use(middleware).use(middleware);
    app.use(async (ctx, next) => {
      await middleware(ctx, () => Promise.resolve());
      await middleware(ctx, next);
    });
    app.use((ctx) => {
      ctx.body = "ok";
    });
    const get = await start(app);
    expect((await get()).headers.get("ratelimit")).toBe('"all";r=1;t=60');
    expect(await used(limits)).toBe(1);
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
  });

  it("R089: both act if they are two, and each counts by itself", async () => {
    const app = new Application();
    const [wide, narrow] = [atMost(5, "wide"), atMost(1, "narrow")];
    app.use(koaLimits(wide)).use(koaLimits(narrow));
    app.use((ctx) => {
      ctx.body = "ok";
    });
    const get = await start(app);
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    expect([await used(wide), await used(narrow)]).toEqual([2, 1]);
  });

  it("R089: say so where they get what has been answered", async () => {
    const app = new Application();
    const limits = atMost(1);
    app.use(async (ctx, next) => {
      ctx.respond = false;
      ctx.res.statusCode = 200;
      ctx.res.end("ok");
      await next();
    });
    app.use(koaLimits(limits));
    const get = await start(app);
    expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
    await until("it is told", () => warnings.codes.length > 0);
    expect([warnings.codes, await used(limits)]).toEqual([["SLUICE_ALREADY_ANSWERED"], 0]);
  });

  it("E-24, E-26: refund by how a request ended, and tell the application of errors", async () => {
    const app = new Application();
    const limits = atMost(2);
    let ends = 0;
    const refundWhen: RefundWhen<ParameterizedContext> = ({ request, status }) => {
      ends += 1;
      if (request.path === "/odd") throw new Error("of refundWhen");
      if (request.path === "/truthy") return {} as boolean;
      return status >= 400;
    };
    app.use(koaLimits({ ...limits, refundWhen }));
    app.use((ctx) => {
      ctx.status = ctx.path === "/bad" ? 400 : 200;
      ctx.body = "answer";
    });
    const get = await start(app);
    const statuses: number[] = [];
    for (const path of ["/bad", "/odd", "/truthy", "/bad"]) {
      statuses.push((await get(path)).status);
      await until("it has ended", () => ends === Math.min(statuses.length, 3));
    }
    expect(statuses).toEqual([400, 200, 200, 429]);
    expect(await used(limits)).toBe(2);
    expect(errors.map((error) => error.message)).toEqual([
      "of refundWhen",
      "refundWhen: expected true or false, received object",
    ]);
  });

  it("name every problem of their options", () => {
    const make = () => koaLimits({ limiter: {}, onError: () => {} } as never);
    expect(make).toThrow(InvalidOptionsError);
    expect(make).toThrow(/koaLimits options: onError: .*; limiter: .*; policy: /);
  });
});

describe.each(generations)("R054: an error after limits of %s", (_name, Application) => {
  const frozen = Object.freeze(Object.assign(new Error("frozen"), { headers: { "x-own": "1" } }));
  const plain = Object.assign(new Error("plain"), {
    status: 409,
    expose: true,
    headers: { RateLimit: "mine", "x-own": "1" },
  });

  it.each([
    ["an error", new Error("any"), 500, '"all";r=99;t=60'],
    ["an error with headers of its own", plain, 409, "mine"],
    ["a text", "any", 500, '"all";r=99;t=60'],
    ["an object", { status: 409 }, 500, '"all";r=99;t=60'],
  ])("is rendered with their headers: %s", async (_what, thrown, status, ratelimit) => {
    const app = new Application();
    app.use(koaLimits(atMost(100)));
    app.use((ctx) => {
      ctx.set("x-handler", "gone with the error");
      return Promise.reject(thrown);
    });
    const get = await start(app);
    const answer = await get();
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([status, ratelimit]);
    expect(answer.headers.get("ratelimit-policy")).toBe('"all";q=100;w=60');
    expect(answer.headers.get("x-handler")).toBe(null);
    expect(errors).toHaveLength(1);
  });

  it("keeps the headers of two, and of an error that is frozen", async () => {
    const app = new Application();
    app.use(koaLimits({ ...atMost(9, "outer"), admittedHeaders: "legacy" }));
    app.use(koaLimits(atMost(100, "inner")));
    app.use(() => Promise.reject(frozen));
    const get = await start(app);
    const { status, headers } = await get();
    expect(status).toBe(500);
    const names = ["x-ratelimit-limit", "ratelimit", "x-own"];
    expect(names.map((name) => headers.get(name))).toEqual(["9", '"inner";r=99;t=60', "1"]);
    expect(errors.map((error) => error.message)).toEqual(["frozen"]);
  });

  it("is not touched before it is rendered", async () => {
    const app = new Application();
    const caught: unknown[] = [];
    app.use((ctx, next) =>
      next().catch((error: unknown) => {
        caught.push(error);
        ctx.status = 502;
        ctx.body = "handled";
      }),
    );
    app.use(koaLimits(atMost(100)));
    app.use(() => Promise.reject(frozen));
    const get = await start(app);
    const { status, headers } = await get();
    expect([status, headers.get("ratelimit")]).toEqual([502, '"all";r=99;t=60']);
    expect(caught[0]).toBe(frozen);
  });
});

describe("the types of a policy", () => {
  it("are those of the application, or what any request has", () => {
    interface State {
      readonly user: { readonly id: string };
    }
    const app = new Koa<State>();
    const { limiter } = atMost(1);
    const anyRequest: Policy<{ readonly method?: string; readonly url?: string }> = () => null;
    app.use(koaLimits({ limiter, policy: anyRequest }));
    app.use(
      koaLimits<State>({
        limiter,
        policy: (ctx) => {
          const id: string = ctx.state.user.id;
          return { descriptors: [{ kind: "user", id, limits: [] }] };
        },
      }),
    );
    new Koa().use(koaLimits({ limiter, policy: (ctx) => (ctx.path === "/" ? null : null) }));
    expect(app.middleware).toHaveLength(2);
  });
});
