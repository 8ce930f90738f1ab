import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { concurrency, createGate, createLimiter, type Gate, type Limiter } from "@sluice/core";
import type Koa from "koa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generations } from "../test/apps";
import { type Served, serve, visit } from "../test/serve";
import { until } from "../test/until";
import { backlogHandler, koaGate, koaLimits } from "./index";

let served: Served | undefined;
let gate: Gate;
let limiter: Limiter;
let closings: string[];

const slot = concurrency({ max: 1, name: "slot" });
const question = { descriptors: [{ kind: "site", id: "all", limits: [slot] }] };

beforeEach(() => {
  closings = [];
  gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
  limiter = createLimiter({
    recorder: {
      record: (event) => {
        if (event.type === "permit_closed") closings.push(event.how);
      },
    },
  });
});

afterEach(async () => {
  await served?.close();
  await until("every slot is back", () => gate.stats().inFlight === 0);
});

/** Has one place in all, in the gate and in the limits. */
function guard(app: Koa): Koa {
  app.silent = true;
  return app.use(koaGate({ gate })).use(koaLimits({ limiter, policy: () => question }));
}

async function slotsTaken(): Promise<number | undefined> {
  return (await limiter.peek(question)).statuses[0]?.used;
}

describe.each(generations)("R031: the end of a response of %s", (_name, Application) => {
  it("comes when the client leaves, not when the middleware is done", async () => {
    const app = guard(new Application());
    let finish: (() => void) | undefined;
    app.use(async (ctx) => {
      if (finish === undefined) {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      }
      ctx.body = "ok";
    });
    served = await serve(app.callback());
    await visit(
      served.origin,
      until("it has begun", () => finish !== undefined),
    );
    await until("the slot of the gate is back", () => gate.stats().inFlight === 0);
    await until("the slot of the limit is back", async () => (await slotsTaken()) === 0);
    finish?.();
    expect((await fetch(served.origin)).status).toBe(200);
    await until("both have ended", () => closings.length === 2);
    expect(closings).toEqual(["released", "released"]);
  });

  it.each(["stream", "own response"])("comes when the client of a %s leaves", async (kind) => {
    const app = guard(new Application());
    const stream = new PassThrough();
    let hasBegun = false;
    app.use((ctx) => {
      if (ctx.path === "/") ctx.body = "ok";
      else if (kind === "stream") ctx.body = stream;
      else {
        ctx.respond = false;
        ctx.res.writeHead(200, { "content-type": "text/event-stream" });
        stream.pipe(ctx.res);
      }
      hasBegun = true;
    });
    served = await serve(app.callback());
    stream.write("data: 1\n\n");
    await visit(
      `${served.origin}/events`,
      until("it has begun", () => hasBegun),
    );
    await until("the slot is back", async () => (await slotsTaken()) === 0);
    expect((await fetch(served.origin)).status).toBe(200);
    await until("both have ended", () => closings.length === 2);
    expect(closings).toEqual(["released", "released"]);
  });
});

describe.each(generations)("a gate of %s", (_name, Application) => {
  it("refuses, lets exempt paths through, and tells the backlog", async () => {
    const app = new Application();
    app.use((ctx, next) => {
      // A mounted application sees a path without its prefix.
      ctx.path = "/metrics";
      return next();
    });
    app.use(koaGate({ gate }));
    app.use(backlogHandler(gate));
    served = await serve(app.callback());
    const verdict = await gate.enter();
    const refused = await fetch(`${served.origin}/other`);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ reason: "queue_full" });
    const backlog = await fetch(`${served.origin}/health/backlog`);
    expect(backlog.headers.get("cache-control")).toBe("no-store");
    expect(await backlog.json()).toMatchObject({ admitted_requests: 1, rejected_requests: 1 });
    if (verdict.admitted) verdict.permit.end();
  });

  it("holds one slot for a request that comes through it twice", async () => {
    const app = new Application();
    const door = koaGate({ gate });
    app.use(door).use(door);
    app.use((ctx) => {
      ctx.body = gate.stats().inFlight;
    });
    served = await serve(app.callback());
    expect(await (await fetch(served.origin)).json()).toBe(1);
  });

  it("has a connection closed when it drains", async () => {
    served = await serve(guard(new Application()).callback());
    await gate.drain();
    const answer = await fetch(served.origin);
    expect([answer.status, answer.headers.get("connection")]).toEqual([503, "close"]);
  });
});

describe.each(generations)("HTTP/2 with %s", (_name, Application) => {
  it("is limited, and its slots come back", async () => {
    const app = guard(new Application());
    app.use((ctx) => {
      ctx.body = "ok";
    });
    const server = http2.createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const get = () =>
      new Promise<unknown>((resolve) => {
        const stream = session.request({ ":path": "/" });
        stream.once("response", (headers) => resolve([headers[":status"], headers.ratelimit]));
        stream.resume();
      });
    expect(await get()).toEqual([200, '"slot";r=0']);
    await until("the slot is back", async () => (await slotsTaken()) === 0);
    const verdict = await limiter.admit(question);
    expect(await get()).toEqual([429, '"slot";r=0']);
    if (verdict.admitted) await verdict.permit.release();
    session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
