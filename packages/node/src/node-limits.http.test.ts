import type { IncomingMessage, RequestListener, Server } from "node:http";
import {
  concurrency,
  createGate,
  createLimiter,
  fixedWindow,
  InvalidOptionsError,
  type Limiter,
  type Question,
  type SluiceEvent,
} from "@sluice/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Held } from "../test/held";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { createNodeGate } from "./node-gate";
import { createNodeLimits, type NodeLimitsOptions } from "./node-limits";
import { permitOf, verdictOf } from "./verdict-of";

const hour = 3_600_000;
const requests = fixedWindow({ max: 3, windowMs: hour, name: "rph" });
const tokens = fixedWindow({ unit: "tokens", max: 1000, windowMs: hour, name: "tph" });
const slots = concurrency({ max: 1, name: "parallel" });

const question: Question = {
  descriptors: [{ kind: "api_key", id: "k1", limits: [requests, tokens, slots] }],
  cost: { tokens: 500 },
};

let server: TestServer<Server>;
let limiter: Limiter;
let held: Held;

beforeEach(() => {
  limiter = createLimiter();
  held = new Held();
});

afterEach(async () => {
  await server.close();
  await until("every slot is back", () => limiter.heldLeases === 0);
  await limiter.close();
});

async function serve(
  handler: RequestListener,
  options: Partial<NodeLimitsOptions<IncomingMessage>> = {},
): Promise<void> {
  const limits = createNodeLimits({ limiter, policy: () => question, ...options });
  server = await startHttp(limits.wrap(handler));
}

const get = (path = "/", init?: RequestInit) => fetch(`${server.origin}${path}`, init);

/** What is used of requests, tokens and slots when nothing runs any more. */
async function used(): Promise<readonly number[]> {
  await until("every slot is back", () => limiter.heldLeases === 0);
  const peek = await limiter.peek(question);
  return peek.statuses.map((status) => status.used);
}

describe("limits in front of node:http", () => {
  it("E-22: say on an admitted answer where the caller stands, and nothing of waiting", async () => {
    await serve((_req, res) => res.end("ok"));
    const answer = await get();
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    expect(answer.headers.get("ratelimit")).toBe(
      '"rph";r=2;t=3600, "tph";r=500;t=3600, "parallel";r=0',
    );
    expect(answer.headers.get("ratelimit-policy")).toBe(
      '"rph";q=3;w=3600, "tph";q=1000;qu="tokens";w=3600, "parallel";q=1;qu="concurrent-requests"',
    );
    expect(answer.headers.has("retry-after")).toBe(false);
  });

  it("R054: reject with 429, Retry-After and a problem document, and charge nothing", async () => {
    await serve((_req, res) => res.end("ok"));
    await get();
    await get();
    const answer = await get();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3590);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(await answer.json()).toMatchObject({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      reason: "window_exhausted",
      "violated-policies": ["tph"],
    });
    expect(await used()).toEqual([2, 1000, 0]);
  });

  it("render as they are told to", async () => {
    await serve(held.handler, {
      render: {
        headers: ["descriptor", "ai"],
        body: "openai",
        slotsHeaderName: "max_parallel_requests",
      },
    });
    const first = get();
    await held.untilHolds(1);
    const refused = await get();
    expect(refused.headers.get("x-ratelimit-api_key-limit-max_parallel_requests")).toBe("1");
    expect(refused.headers.get("x-ratelimit-api_key-remaining-max_parallel_requests")).toBe("0");
    expect(refused.headers.get("retry-after-ms")).toMatch(/^\d+$/);
    expect(refused.headers.has("ratelimit")).toBe(false);
    expect(await refused.json()).toMatchObject({
      error: { type: "rate_limit_error", code: "429" },
    });
    held.release();
    expect((await first).headers.get("x-ratelimit-remaining-tokens")).toBe("500");
  });

  it("send other headers, or none, on admitted answers if told to", async () => {
    await serve((_req, res) => res.end(), { admittedHeaders: "none" });
    const headers = (await get()).headers;
    expect([...headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
    await get();
    expect((await get()).headers.get("ratelimit")).toContain('"tph";r=0');
  });

  it("E-20: let a request without a question pass unlimited", async () => {
    await serve((req, res) => res.end(String(verdictOf(req))), { policy: () => null });
    for (let times = 0; times < 5; times++) {
      const answer = await get();
      expect([answer.status, await answer.text()]).toEqual([200, "undefined"]);
      expect(answer.headers.has("ratelimit")).toBe(false);
    }
  });

  it("E-19: keep callers apart, with a policy that takes its time", async () => {
    await serve((_req, res) => res.end(), {
      policy: async (req) => {
        const id = req.url ?? "";
        const limits = [fixedWindow({ max: 2, windowMs: hour })];
        return { descriptors: [{ kind: "api_key", id, limits }] };
      },
    });
    const statuses: number[] = [];
    for (const key of ["k1", "k1", "k2", "k1", "k2", "k2"]) {
      statuses.push((await get(`/${key}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 200, 429]);
  });

  it("hold a slot until the last byte of a stream", async () => {
    await serve(held.handler);
    const first = get();
    await held.untilHolds(1);
    expect((await get()).status).toBe(429);
    held.release();
    expect((await first).status).toBe(200);
    expect(await used()).toEqual([1, 500, 0]);
  });
});

describe("the end of an admitted request", () => {
  it("settles to the usage that the handler noted", async () => {
    await serve((req, res) => {
      permitOf(req)?.usage({ tokens: 100 });
      permitOf(req)?.usage({ tokens: 120 });
      res.end();
    });
    await get();
    expect(await used()).toEqual([1, 120, 0]);
  });

  it("R021: keeps what was reserved if nothing was noted, once per answer", async () => {
    const cheap = { ...question, cost: { tokens: 10 } };
    await serve((_req, res) => res.end(), { policy: () => cheap });
    const client = await rawClient(server.port);
    for (let i = 1; i <= 3; i++) {
      client.send(request("/"));
      await until("it is answered", () => client.received().split("HTTP/1.1 200").length === i + 1);
    }
    expect(await used()).toEqual([3, 30, 0]);
  });

  it("refunds if the handler asked for it", async () => {
    await serve((req, res) => {
      permitOf(req)?.refundAtEnd();
      res.statusCode = 502;
      res.end();
    });
    await get();
    expect(await used()).toEqual([0, 0, 0]);
  });

  it("never refunds by itself: an answer that failed, or was cut, keeps its reservation", async () => {
    await serve(
      (req, res) => {
        if (req.url === "/fails") throw new Error("from the handler");
        res.write("some");
      },
      { onError: () => {} },
    );
    expect((await get("/fails")).status).toBe(500);
    expect(await used()).toEqual([1, 500, 0]);
    const client = await rawClient(server.port);
    client.send(request("/cut"));
    await client.receives("some");
    client.socket.destroy();
    expect(await used()).toEqual([2, 1000, 0]);
  });

  it("settles what was noted before the client left", async () => {
    await serve((req, res) => {
      permitOf(req)?.usage({ tokens: 7 });
      res.write("some");
    });
    const client = await rawClient(server.port);
    client.send(request("/"));
    await client.receives("some");
    client.socket.destroy();
    expect(await used()).toEqual([1, 7, 0]);
  });

  it("comes at once if the client left while the policy was still thinking", async () => {
    const closed: string[] = [];
    const record = (event: SluiceEvent) => {
      if (event.type === "permit_closed") closed.push(event.how);
    };
    limiter = createLimiter({ recorder: { record } });
    let answer: (question: Question) => void = () => {};
    let handled = 0;
    await serve(
      () => {
        handled += 1;
      },
      {
        policy: () =>
          new Promise<Question>((resolve) => {
            answer = resolve;
          }),
      },
    );
    const client = await rawClient(server.port);
    client.send(request("/"));
    await until("the policy is asked", () => server.connections.length === 1);
    client.socket.destroy();
    await until("the server has noticed", () => server.connections[0]?.closed === true);
    answer(question);
    await until("it has ended", () => closed.length > 0);
    expect(closed).toEqual(["released"]);
    expect(await used()).toEqual([1, 500, 0]);
    expect(handled).toBe(0);
  });
});

describe("what a request holds", () => {
  it("E-28: is known to the handler", async () => {
    await serve((req, res) => {
      const verdict = verdictOf(req);
      const [status] = verdict?.statuses ?? [];
      res.end(
        JSON.stringify([permitOf(req)?.isClosed, status?.max, status?.used, status?.remaining]),
      );
    });
    expect(await (await get()).json()).toEqual([false, 3, 1, 2]);
    expect(await (await get()).json()).toEqual([false, 3, 2, 1]);
  });

  it("is no permit when it was rejected, but a verdict", async () => {
    const limits = createNodeLimits({ limiter, policy: () => question });
    const seen: unknown[] = [];
    server = await startHttp(async (req, res) => {
      if (await limits.enter(req, res)) return res.end();
      seen.push(permitOf(req), verdictOf(req)?.admitted);
      return undefined;
    });
    await get();
    await get();
    expect((await get()).status).toBe(429);
    expect(seen).toEqual([undefined, false]);
  });
});

describe("limits that cannot be asked", () => {
  const faults: readonly (readonly [string, () => never])[] = [
    [
      "a policy that throws",
      () => {
        throw new Error("from the policy");
      },
    ],
    ["a policy that rejects", () => Promise.reject(new Error("from the policy")) as never],
    ["a policy that says nothing", () => undefined as never],
    ["a question that makes no sense", () => ({ descriptors: "all" }) as never],
  ];

  it.each(faults)(
    "E-27: answer 500 once, and never let the request pass: %s",
    async (_, policy) => {
      const errors: unknown[] = [];
      let handled = 0;
      await serve(
        () => {
          handled += 1;
        },
        { policy, onError: (error) => errors.push(error) },
      );
      const answer = await get();
      expect([answer.status, await answer.text()]).toEqual([500, "Internal Server Error\n"]);
      expect(errors).toHaveLength(1);
      expect(handled).toBe(0);
    },
  );

  it("E-9: change no header of an answer that has begun", async () => {
    const limits = createNodeLimits({ limiter, policy: () => question });
    server = await startHttp(async (req, res) => {
      res.flushHeaders();
      res.end(String(await limits.enter(req, res)));
    });
    const answer = await get();
    expect([answer.status, await answer.text()]).toEqual([200, "true"]);
    expect(answer.headers.has("ratelimit")).toBe(false);
  });
});

describe("a request that waits for a limit", () => {
  const waiting = { ...question, maxWaitMs: 20_000 };

  it("is answered when the slot before it comes back", async () => {
    await serve(held.handler, { policy: () => waiting });
    const first = get("/1");
    await until("the first runs", () => limiter.heldLeases === 1);
    const second = get("/2");
    await until("the second waits", () => limiter.stats().queued === 1);
    held.release(1);
    await first;
    await until("the second runs", () => limiter.stats().admittedAfterWait === 1);
    held.release(1);
    expect((await second).status).toBe(200);
  });

  it.each(["without", "with"])("leaves with its client, %s a signal of its own", async (how) => {
    const own = how === "with" ? { signal: new AbortController().signal } : {};
    await serve(held.handler, { policy: () => ({ ...waiting, ...own }) });
    const first = get("/1");
    await until("the first runs", () => limiter.heldLeases === 1);
    const leaving = new AbortController();
    const second = get("/2", { signal: leaving.signal }).catch(() => "gone");
    await until("the second waits", () => limiter.stats().queued === 1);
    leaving.abort();
    await until("the second has left", () => limiter.stats().queued === 0);
    held.release(1);
    await Promise.all([first, second]);
    expect(await used()).toEqual([1, 500, 0]);
  });

  it("is told 503 with the limit when it has waited in vain", async () => {
    await serve(held.handler, { policy: () => ({ ...question, maxWaitMs: 20 }) });
    const first = get("/1");
    await until("the first runs", () => limiter.heldLeases === 1);
    const answer = await get("/2");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject({ reason: "queue_timeout" });
    held.release(1);
    await first;
  });
});

describe("a handler whose parameters have no types", () => {
  it("gets request and response of node:http, in a gate too", async () => {
    const limits = createNodeLimits({ limiter, policy: () => null });
    const gate = createNodeGate({ gate: createGate({ maxInFlight: 1 }) });
    // Nothing here says which kind of server it is for.
    const listener = gate.wrap(
      limits.wrap((req, res) => {
        res.write(`${req.url} `); // does not compile if it could be a response of HTTP/2
        res.end("done");
      }),
    );
    server = await startHttp(listener);
    expect(await (await get("/1")).text()).toBe("/1 done");
  });
});

describe("options of node limits", () => {
  it.each([
    ["limiter", { limiter: undefined }],
    ["limiter", { limiter: {} }],
    ["policy", { policy: undefined }],
    ["policy", { policy: question }],
    ["render", { render: "openai" }],
    ["render.gateStatus", { render: { gateStatus: 200 } }],
    ["admittedHeaders", { admittedHeaders: ["none", "ietf"] }],
    ["onError", { onError: "ignore" }],
    ["limits", { limits: [] }],
  ])("refuse a bad %s: %j", async (path, options) => {
    await serve(held.handler);
    const make = () => createNodeLimits({ limiter, policy: () => question, ...options } as never);
    expect(make).toThrow(InvalidOptionsError);
    expect(make).toThrow(`${path}: expected`);
  });
});
