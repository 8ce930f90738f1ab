import type { Application, ErrorRequestHandler, RequestHandler } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { atMost, generations } from "../test/apps";
import { type Served, serve } from "../test/serve";
import { expressLimits, expressRejections, HttpRejectedError } from "./index";

let served: Served | undefined;

afterEach(() => served?.close());

async function ask(app: Application): Promise<Response> {
  served = await serve(app);
  return fetch(served.origin);
}

/** What others may have set for the answer that they expect. */
const prepare: RequestHandler = (_req, res, next) => {
  res.set({ "cache-control": "public, max-age=600", "content-encoding": "gzip", etag: '"1"' });
  res.set({ "content-length": "3", "x-frame-options": "DENY" });
  next();
};

describe.each(generations)("rejections of %s", (_name, express) => {
  it.each(["answer", "error"] as const)(
    "R054: carry nothing that was said of another body, with rejections: %s",
    async (rejections) => {
      const app = express();
      app.set("env", "test");
      app.use(prepare, expressLimits({ ...atMost(0), rejections }));
      const { status, headers } = await ask(app);
      expect(status).toBe(429);
      const names = ["cache-control", "content-encoding", "etag", "x-frame-options"];
      expect(names.map((name) => headers.get(name))).toEqual([null, null, null, "DENY"]);
    },
  );

  it("R054: are what an error middleware makes of them", async () => {
    const app = express();
    app.use(expressLimits({ ...atMost(0), rejections: "error" }));
    const handle: ErrorRequestHandler = (error, _req, res, _next) => {
      const isRejection = error instanceof HttpRejectedError;
      res.status(error.status).set(error.headers).json({ isRejection });
    };
    app.use(handle);
    const answer = await ask(app);
    expect([answer.status, await answer.json()]).toEqual([429, { isRejection: true }]);
    expect(answer.headers.get("ratelimit")).toBe('"all";r=0');
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  });

  it("R054: of limiter.run are answered after the routes, and other errors go on", async () => {
    const app = express();
    const { limiter, policy } = atMost(0);
    const passed: unknown[] = [];
    app.get("/", prepare, (req, _res, next) => {
      const run = async () => limiter.run((await policy(req)) ?? { descriptors: [] }, () => {});
      run().then(next, next);
    });
    app.use(expressRejections({ render: { body: "openai" } }));
    const handle: ErrorRequestHandler = (error, _req, res, _next) => {
      passed.push(error);
      res.sendStatus(500);
    };
    app.use(handle);
    const answer = await ask(app);
    expect([answer.status, passed]).toEqual([429, []]);
    expect(answer.headers.get("cache-control")).toBe(null);
    expect(await answer.json()).toMatchObject({ error: { type: expect.any(String) } });
    expect(() => expressRejections({ renderer: {} } as never)).toThrow(/expressRejections options/);
  });
});
