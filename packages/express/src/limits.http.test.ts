import { InvalidOptionsError, type LimiterPermit, type Verdict } from "@sluice/core";
import type { Application, ErrorRequestHandler, Request } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atMost, generations, used } from "../test/apps";
import { type Served, serve } from "../test/serve";
import { until } from "../test/until";
import { collectWarnings } from "../test/warnings";
import { expressLimits, permitOf, type RefundWhen } from "./index";

let served: Served | undefined;
let warnings: ReturnType<typeof collectWarnings>;

beforeEach(() => {
  warnings = collectWarnings();
});

afterEach(async () => {
  warnings.stop();
  await served?.close();
});

/** Starts the application and returns a client of it. */
async function start(app: Application): Promise<(path?: string) => Promise<Response>> {
  served = await serve(app);
  const { origin } = served;
  return (path = "/") => fetch(origin + path);
}

describe.each(generations)("limits of %s", (_name, express) => {
  it("let requests through with headers and a verdict, with app.use or per route", async () => {
    const app = express();
    app.use(expressLimits(atMost(3, "all")));
    app.get("/", (req, res) => {
      const verdict: Verdict<LimiterPermit> | undefined = req.verdict;
      res.json([verdict?.admitted, permitOf(req) !== undefined]);
    });
    app.get("/items/:id", expressLimits(atMost(1, "item")), (req, res) => {
      res.send(req.params.id);
    });
    const get = await start(app);
    const answer = await get();
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, '"all";r=2;t=60']);
    expect(await answer.json()).toEqual([true, true]);
    expect(await (await get("/items/7")).text()).toBe("7");
    expect((await get("/items/7")).status).toBe(429);
    expect((await get()).status).toBe(429);
  });

  it("R054: answer a rejection by themselves, with its status and headers", async () => {
    const app = express();
    const errors: unknown[] = [];
    app.use((req, res, next) => {
      res.on("finish", () => errors.push(req.verdict?.admitted));
      next();
    });
    app.use(expressLimits({ ...atMost(0), render: { headers: ["ietf", "ai"] } }));
    app.get("/", (_req, res) => res.send("ok"));
    const get = await start(app);
    const answer = await get();
    expect(answer.status).toBe(429);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(await answer.json()).toMatchObject({ reason: "cost_exceeds_limit" });
    expect(errors).toEqual([false]);
  });

  it.each([
    ["throws", () => JSON.parse("{"), "SyntaxError"],
    ["rejects", () => Promise.reject(new TypeError("of the policy")), "TypeError"],
    ["rejects with no error", () => Promise.reject(), "Error"],
    ["rejects with the name of a route", () => Promise.reject("route"), "Error"],
    ["asks a malformed question", () => ({}) as never, "InvalidOptionsError"],
  ])("pass it to next, once, if the policy %s", async (_what, policy, name) => {
    const app = express();
    const errors: Error[] = [];
    app.use(expressLimits({ ...atMost(1), policy }));
    app.get("/", (_req, res) => res.send("ok"));
    const handler: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.status(500).send("handled");
    };
    app.use(handler);
    const get = await start(app);
    const answer = await get();
    expect([answer.status, await answer.text()]).toEqual([500, "handled"]);
    expect(errors.map((error) => error.name)).toEqual([name]);
  });

  it("R089: charge a request once if mounted twice, nested, or run again", async () => {
    const app = express();
    const limits = atMost(2);
    const middleware = expressLimits(limits);
    const router = express.Router();
    router.use(middleware);
    router.get("/again", (req, res) => {
      if (req.url === "/again") {
        req.url = "/api/once-more";
        app(req, res);
      }
    });
    router.get("/once-more", (_req, res) => {
      res.send("ok");
    });
    app.use(middleware);
    app.use(middleware);
    app.use("/api", router);
    const get = await start(app);
    const answer = await get("/api/again");
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, '"all";r=1;t=60']);
    expect(await used(limits)).toBe(1);
    expect([(await get("/api/again")).status, (await get("/api/again")).status]).toEqual([
      200, 429,
    ]);
  });

  it("R089: both act if they are two, and each counts by itself", async () => {
    const app = express();
    const [wide, narrow] = [atMost(5, "wide"), atMost(1, "narrow")];
    app.use(expressLimits(wide), expressLimits(narrow));
    app.get("/", (_req, res) => res.send("ok"));
    const get = await start(app);
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    expect([await used(wide), await used(narrow)]).toEqual([2, 1]);
  });

  it("R089: act on what comes behind a router, and say so where all is answered", async () => {
    const app = express();
    const limits = atMost(1);
    app.get("/answered", (_req, res, next) => {
      res.send("ok");
      next();
    });
    app.use(expressLimits(limits));
    app.get("/behind", (_req, res) => res.send("ok"));
    const get = await start(app);
    expect([(await get("/answered")).status, (await get("/answered")).status]).toEqual([200, 200]);
    await until("it is told", () => warnings.codes.length > 0);
    expect(warnings.codes).toEqual(["SLUICE_ALREADY_ANSWERED"]);
    expect(await used(limits)).toBe(0);
    expect([(await get("/behind")).status, (await get("/behind")).status]).toEqual([200, 429]);
  });

  it("E-24, E-26: refund by how a request ended, and never for their own rejections", async () => {
    const app = express();
    const limits = atMost(2);
    const seen: unknown[] = [];
    const refundWhen: RefundWhen<Request> = ({ request, status, isComplete }) => {
      seen.push([request.query.status, status, isComplete]);
      return status >= 400;
    };
    app.use(expressLimits({ ...limits, refundWhen }));
    app.get("/", (req, res) => {
      res.status(Number(req.query.status)).send("answer");
    });
    const get = await start(app);
    const paths = ["/?status=400", "/?status=200", "/?status=500", "/?status=201", "/?status=200"];
    const statuses: number[] = [];
    for (const path of paths) {
      const before = seen.length;
      statuses.push((await get(path)).status);
      await until("it has ended", () => statuses.at(-1) === 429 || seen.length > before);
    }
    expect(statuses).toEqual([400, 200, 500, 201, 429]);
    expect(seen.map((each) => (each as unknown[])[1])).toEqual([400, 200, 500, 201]);
    expect(await used(limits)).toBe(2);
  });

  it("name every problem of their options", () => {
    const make = () => expressLimits({ limiter: {}, onError: () => {} } as never);
    expect(make).toThrow(InvalidOptionsError);
    expect(make).toThrow(/expressLimits options: onError: .*; limiter: .*; policy: /);
  });
});
