import http from "node:http";
import http2 from "node:http2";
import { concurrency, createGate, createLimiter, type Gate, type Limiter } from "@sluice/core";
import type { FastifyInstance, FastifyReply } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atMost, generations } from "../test/apps";
import { until } from "../test/until";
import { collectWarnings } from "../test/warnings";
import { backlogHandler, fastifyGate, fastifyLimits } from "./index";

let app: FastifyInstance;
let gate: Gate;
let limiter: Limiter;
let closings: string[];
let warnings: ReturnType<typeof collectWarnings>;

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
  warnings = collectWarnings();
});

afterEach(async () => {
  await app.close();
  expect(gate.stats().inFlight).toBe(0);
  warnings.stop();
});

/** An application with one place in all, in the gate and in the limits. */
function guard(made: FastifyInstance): void {
  app = made;
  app.register(fastifyGate, { gate });
  app.register(fastifyLimits, { limiter, policy: () => question });
}

const listen = () => app.listen({ port: 0, host: "127.0.0.1" });

/** Sends a GET and leaves as soon as `leave` resolves. */
function visit(url: string, leave: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const request = http.get(url);
    request.on("error", () => {}).once("close", resolve);
    void leave.then(() => request.destroy());
  });
}

async function slotsTaken(): Promise<number | undefined> {
  return (await limiter.peek(question)).statuses[0]?.used;
}

describe.each(generations)("R031: the end of a response of %s", (_name, fastify) => {
  it("comes when the client leaves, not when the handler is done", async () => {
    guard(fastify());
    let finish: ((body: string) => void) | undefined;
    app.get("/", () => {
      if (finish !== undefined) return "at once";
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const origin = await listen();
    await visit(
      origin,
      until("it has begun", () => finish !== undefined),
    );
    await until("the slot of the gate is back", () => gate.stats().inFlight === 0);
    await until("the slot of the limit is back", async () => (await slotsTaken()) === 0);
    finish?.("late");
    expect((await fetch(origin)).status).toBe(200);
    await until("both have ended", () => closings.length === 2);
    expect(closings).toEqual(["released", "released"]);
    expect(warnings.codes).toEqual([]);
  });

  it("comes when the client of a hijacked stream leaves", async () => {
    guard(fastify());
    let stream: FastifyReply | undefined;
    app.get("/events", (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { "content-type": "text/event-stream" });
      reply.raw.write("data: 1\n\n");
      stream = reply;
    });
    app.get("/", () => "ok");
    const origin = await listen();
    await visit(
      `${origin}/events`,
      until("it has begun", () => stream !== undefined),
    );
    await until("the slot is back", async () => (await slotsTaken()) === 0);
    stream?.raw.write("data: 2\n\n");
    expect((await fetch(origin)).status).toBe(200);
    await until("both have ended", () => closings.length === 2);
    expect(closings).toEqual(["released", "released"]);
  });
});

describe.each(generations)("a gate of %s", (_name, fastify) => {
  it("refuses through the hooks, lets exempt paths through and tells the backlog", async () => {
    app = fastify();
    app.addHook("onSend", async (_request, reply) => void reply.header("x-seen", "yes"));
    app.register(fastifyGate, { gate });
    app.get("/", () => "ok");
    app.register(async (scope) => scope.get("/backlog", backlogHandler(gate)), {
      prefix: "/health",
    });
    const verdict = await gate.enter();
    const refused = await app.inject("/");
    expect([refused.statusCode, refused.headers["x-seen"]]).toEqual([503, "yes"]);
    expect(refused.json()).toMatchObject({ reason: "queue_full" });
    const backlog = await app.inject("/health/backlog?now");
    expect(backlog.statusCode).toBe(200);
    expect(backlog.headers["cache-control"]).toBe("no-store");
    expect(backlog.json()).toMatchObject({ admitted_requests: 1, rejected_requests: 1 });
    if (verdict.admitted) verdict.permit.end();
  });

  it("compares exempt paths with what was sent, not with what a rewrite made of it", async () => {
    app = fastify({ rewriteUrl: () => "/metrics" });
    app.register(fastifyGate, { gate });
    app.get("/metrics", () => "ok");
    const verdict = await gate.enter();
    expect((await app.inject("/metrics")).statusCode).toBe(200);
    expect((await app.inject("/other")).statusCode).toBe(503);
    if (verdict.admitted) verdict.permit.end();
  });

  it("has a connection closed when it drains", async () => {
    guard(fastify());
    app.get("/", () => "ok");
    const origin = await listen();
    await gate.drain();
    const answer = await fetch(origin);
    expect([answer.status, answer.headers.get("connection")]).toEqual([503, "close"]);
  });
});

describe.each(generations)("a response of %s that has begun", (_name, fastify) => {
  it("is broken off if the request is rejected, and the place is warned of once", async () => {
    app = fastify();
    app.addHook("onRequest", async (_request, reply) => void reply.raw.write("early"));
    app.register(fastifyLimits, atMost(0));
    app.get("/", () => "ok");
    const origin = await listen();
    for (const _time of [1, 2]) {
      const answer = await fetch(origin);
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow("terminated");
    }
    expect(warnings.codes).toEqual(["SLUICE_ALREADY_ANSWERED"]);
  });
});

describe.each(generations)("HTTP/2 with %s", (_name, fastify) => {
  it("is limited, and its slots come back", async () => {
    guard(fastify({ http2: true }) as unknown as FastifyInstance);
    app.get("/", (request) => String(request.verdict?.admitted));
    const session = http2.connect(await listen());
    const get = (path: string) =>
      new Promise<string>((resolve) => {
        const stream = session.request({ ":path": path });
        let answer = "";
        stream.once("response", (headers) => {
          answer = `${headers[":status"]} ${headers.ratelimit ?? ""} `;
        });
        stream.setEncoding("utf8").on("data", (text: string) => {
          answer += text;
        });
        stream.once("close", () => resolve(answer));
      });
    expect(await get("/")).toMatch(/^200 "slot";r=0.* true$/);
    await until("the slot is back", async () => (await slotsTaken()) === 0);
    const verdict = await limiter.admit(question);
    expect(await get("/")).toMatch(/^429 /);
    if (verdict.admitted) await verdict.permit.release();
    session.close();
  });
});
