import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningExample } from "./run-example";

/** Starts an example for the tests of one block. */
function example(name: string): () => RunningExample {
  let running: RunningExample;
  beforeAll(async () => {
    running = await RunningExample.start(name);
  });
  afterAll(() => running.stop());
  return () => running;
}

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

describe("the example on node:http", () => {
  const server = example("node-http");

  it("limits each client address by two windows at once, and says which one bound", async () => {
    expect(await server().statuses(3, "/", from("198.51.100.1"))).toEqual([200, 200, 200]);
    const refused = await server().fetch("/", from("198.51.100.1"));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit-policy")).toBe('"burst";q=3;w=1, "minute";q=5;w=60');
    expect(await refused.json()).toMatchObject({ "violated-policies": ["burst"] });
    expect(await server().statuses(1, "/", from("198.51.100.2"))).toEqual([200]);
  });

  it("counts neither monitoring nor preflights", async () => {
    expect(await server().statuses(6, "/", from("192.0.2.10"))).toEqual(Array(6).fill(200));
    const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
    const preflight = { method: "OPTIONS", headers };
    expect(await server().statuses(6, "/", preflight)).toEqual(Array(6).fill(204));
    const answer = await server().fetch("/", from("192.0.2.10"));
    expect(answer.headers.has("ratelimit")).toBe(false);
  });

  it("shows the numbers of its gate", async () => {
    const answer = await server().fetch("/health/backlog");
    expect(await answer.json()).toMatchObject({ queued_requests: 0, rejected_requests: 0 });
  });
});

describe("the example on Express", () => {
  const app = example("express");
  const key = (value: string) => ({ headers: { "x-api-key": value } });

  it("limits accounts by their plan, and strangers by address", async () => {
    expect(await app().statuses(4, "/api/report", key("key-ada"))).toEqual([200, 200, 200, 429]);
    const team = await app().fetch("/api/report", key("key-bob"));
    expect(team.headers.get("ratelimit-policy")).toBe('"team";q=100;w=10');
    expect(await app().statuses(3, "/api/report")).toEqual([200, 200, 429]);
  });

  it("charges a large answer ten, and nothing for what it could not answer", async () => {
    const remaining = async (path: string) => {
      const answer = await app().fetch(path, key("key-bob"));
      return Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
    };
    const before = await remaining("/api/report");
    expect(await remaining("/api/report?size=large")).toBe(before - 10);
    expect(await app().statuses(2, "/api/broken", key("key-bob"))).toEqual([500, 500]);
    expect(await remaining("/api/report")).toBe(before - 11);
  });

  it("refuses whoever guesses passwords, and charges the right one nothing", async () => {
    const attempt = (password: string) => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Ada", password }),
    });
    expect(await app().statuses(3, "/login", attempt("correct horse"))).toEqual([200, 200, 200]);
    expect(await app().statuses(3, "/login", attempt("guess"))).toEqual([401, 401, 429]);
    expect(await app().statuses(1, "/login", attempt("correct horse"))).toEqual([429]);
  });
});

describe("the example on Koa", () => {
  const app = example("koa");

  it("limits by the route that was matched, several subjects in one question", async () => {
    const search = () => app().fetch("/search?depth=deep");
    expect((await search()).status).toBe(200);
    expect((await search()).headers.get("ratelimit")).toContain('"client";r=10;');
    const refused = await search();
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ "violated-policies": ["index"] });
    const message = { method: "POST" };
    expect(await app().statuses(3, "/messages", message)).toEqual([200, 200, 429]);
    // Two searches of five, two messages, and this: refusals were charged to nobody.
    expect(await (await app().fetch("/")).json()).toEqual({
      route: "page",
      remaining: { client: 7 },
    });
  });

  it("has no limits for what is not there", async () => {
    const answer = await app().fetch("/nothing");
    expect(answer.status).toBe(404);
    expect(answer.headers.has("ratelimit")).toBe(false);
  });
});

describe("the example on Fastify", () => {
  const app = example("fastify");
  const user = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });

  it("limits users apart from strangers", async () => {
    expect(await app().statuses(3, "/orders")).toEqual([200, 200, 429]);
    const answer = await app().fetch("/orders", user("ada"));
    expect(answer.headers.get("ratelimit")).toMatch(/^"minute";r=4;t=/);
  });

  it("has other limits at one route", async () => {
    const both = await Promise.all([1, 2].map(() => app().fetch("/export", user("bob"))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = both.find(({ status }) => status === 429);
    expect(await refused?.json()).toMatchObject({ reason: "concurrency_exhausted" });
  });

  it("shows verdicts and its gate as metrics, and counts nobody for asking", async () => {
    expect(await app().statuses(6, "/metrics")).toEqual(Array(6).fill(200));
    const text = await (await app().fetch("/metrics")).text();
    expect(text).toMatch(/^sluice_\w*verdicts\w*{.*} \d+$/m);
    expect(text).toContain('gate="door"');
  });

  it("logs what became of requests, and nothing of who asked", async () => {
    await app().statuses(6, "/orders", user("grace"));
    const events = () => app().printed.map((line) => JSON.parse(line));
    const refused = { route: "/orders", decision: "rejected", reason: "window_exhausted" };
    await expect.poll(events).toContainEqual(
      expect.objectContaining({
        ...refused,
        limitName: "minute",
        httpStatus: 429,
        retryable: true,
      }),
    );
    expect(app().printed.join()).not.toMatch(/grace|redacted|"route":"\/metrics"/);
  });
});
