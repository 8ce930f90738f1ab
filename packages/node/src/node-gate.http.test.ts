import type { RequestListener, Server } from "node:http";
import { createGate, type Gate, type GateOptions, InvalidOptionsError } from "@sluice/core";
import { afterEach, describe, expect, it } from "vitest";
import { Held } from "../test/held";
import { Outcomes } from "../test/outcomes";
import { rawClient, request } from "../test/raw-client";
import { startHttp, type TestServer } from "../test/servers";
import { until } from "../test/until";
import { backlogHandler } from "./backlog";
import { createNodeGate, type NodeGate, type NodeGateOptions } from "./node-gate";

let server: TestServer<Server>;
let gate: Gate;
let nodeGate: NodeGate;
let outcomes: Outcomes;
let held: Held;

interface Setting {
  readonly gate: GateOptions;
  readonly adapter?: Omit<NodeGateOptions, "gate">;
  readonly handler?: RequestListener;
}

/** A server whose gate has these options and whose handler, unless given, keeps its responses. */
async function serve(setting: Setting): Promise<void> {
  outcomes = new Outcomes();
  held = new Held();
  gate = createGate({ ...setting.gate, recorder: outcomes });
  nodeGate = createNodeGate({ gate, render: { body: "openai" }, ...setting.adapter });
  const backlog = backlogHandler(gate);
  const handler = setting.handler ?? held.handler;
  server = await startHttp(
    nodeGate.wrap((req, res) => {
      const path = req.url?.split("?")[0] ?? "";
      if (path.endsWith("/health/backlog")) return backlog(req, res);
      if (path.endsWith("/health/liveliness") || path.endsWith("/metrics")) return res.end("fine");
      return handler(req, res);
    }),
  );
}

afterEach(async () => {
  await server.close();
  await until("every slot is back", () => gate.stats().inFlight + gate.stats().queued === 0);
});

const get = (path = "/", init?: RequestInit) => fetch(`${server.origin}${path}`, init);
const untilQueued = (count: number) =>
  until(`${count} are queued`, () => gate.stats().queued === count);

describe("a gate in front of node:http", () => {
  it("A1: lets one in, queues one and refuses the third with 503, Retry-After and the counts", async () => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 1 } } });
    const first = get();
    await held.untilHolds(1);
    const second = get();
    await untilQueued(1);
    const third = await get();
    expect(third.status).toBe(503);
    expect(third.headers.get("retry-after")).toBe("1");
    expect(third.headers.get("content-type")).toBe("application/json");
    expect(await third.text()).toBe(
      '{"error":{"message":"Worker at capacity: 1 in-flight, 1 queued requests. Retry later.",' +
        '"type":"overloaded_error","code":"503"}}',
    );
    held.release(1);
    await held.untilHolds(1);
    held.release();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    await until("all are over", () => outcomes.all.length === 2);
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, rejected: 1 });
    // The refusal made no sample.
    expect(outcomes.all).toEqual(["success", "success"]);
  });

  it("A2: refuses who waited too long", async () => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 1, timeoutMs: 50 } } });
    const first = get();
    await held.untilHolds(1);
    expect((await get()).status).toBe(503);
    expect(gate.stats()).toMatchObject({ queued: 0, rejectedByReason: { queue_timeout: 1 } });
    held.release();
    await first;
  });

  it.each([
    ["", "/health/liveliness"],
    ["/proxy", "/proxy/health/liveliness"],
    ["/proxy", "/proxy/metrics"],
  ])("A3: lets probes pass when full (mounted at '%s': %s)", async (mountPrefix, probe) => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 0 } }, adapter: { mountPrefix } });
    const first = get("/proxy/v1/chat/completions");
    await held.untilHolds(1);
    expect((await get(probe)).status).toBe(200);
    expect((await get(`${probe}?verbose`)).status).toBe(200);
    expect((await get("/proxy/v1/chat/completions")).status).toBe(503);
    expect((await get("/proxyhealth/liveliness")).status).toBe(503);
    expect((await get(`${probe}/x`)).status).toBe(503);
    expect((await get("/health")).status).toBe(503);
    held.release();
    await first;
  });

  it("lets other paths pass if told to, and then none of the default ones", async () => {
    await serve({
      gate: { maxInFlight: 1, queue: { max: 0 } },
      adapter: { exemptPaths: ["/open/metrics"] },
    });
    const first = get();
    await held.untilHolds(1);
    expect((await get("/open/metrics")).status).toBe(200);
    expect((await get("/metrics")).status).toBe(503);
    held.release();
    await first;
  });

  it("A7: keeps the slot of a stream until its last chunk", async () => {
    let finish: () => void = () => {};
    await serve({
      gate: { maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 } },
      handler: (req, res) => {
        if (req.url !== "/stream") return res.end("plain");
        res.write("first chunk");
        finish = () => res.end("last chunk");
      },
    });
    const client = await rawClient(server.port);
    client.send(request("/stream"));
    await client.receives("first chunk");
    let hasSecond = false;
    const second = get("/plain").then((answer) => {
      hasSecond = true;
      return answer.status;
    });
    await untilQueued(1);
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    expect(hasSecond).toBe(false);
    finish();
    await client.receives("last chunk");
    expect(await second).toBe(200);
    await until("both are over", () => gate.stats().inFlight === 0);
    expect(gate.stats()).toMatchObject({ queued: 0, admitted: 2, rejected: 0 });
  });

  it("A12: under a burst answers 200 and 503 only, and probes at once", async () => {
    await serve({ gate: { maxInFlight: 8, queue: { max: 8, timeoutMs: 100 } } });
    const burst = Array.from({ length: 60 }, () => get());
    await until("the queue has timed out", () => gate.stats().rejected === 52);
    expect((await get("/health/liveliness")).status).toBe(200);
    held.release();
    const answers = await Promise.all(burst);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    const refusals = answers.filter(({ status }) => status !== 200);
    expect(refusals.map(({ status }) => status)).toEqual(Array(52).fill(503));
    expect(refusals.every(({ headers }) => headers.get("retry-after") === "1")).toBe(true);
  });

  it("A6: drops a waiter whose client leaves, at once and for good", async () => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 2, timeoutMs: 60_000 } } });
    const first = get();
    await held.untilHolds(1);
    const leaving = await rawClient(server.port);
    leaving.send(request("/leaving"));
    await untilQueued(1);
    const waiting = get("/waiting");
    await untilQueued(2);
    leaving.socket.destroy();
    await untilQueued(1);
    held.release();
    await held.untilHolds(1);
    held.release();
    expect([(await first).status, (await waiting).status]).toEqual([200, 200]);
    // The one that left never held a slot.
    expect(gate.stats()).toMatchObject({ admitted: 2, rejectedByReason: { aborted: 1 } });
  });

  it("R015: frees the slot of a pipelined request whose response never emits anything", async () => {
    let hasAnsweredSecond = false;
    await serve({
      gate: { maxInFlight: 2, queue: { max: 0 } },
      handler: (req, res) => {
        if (req.url !== "/2") return;
        res.end("never sent");
        hasAnsweredSecond = true;
      },
    });
    const client = await rawClient(server.port);
    client.send(request("/1") + request("/2"));
    await until("the second is answered", () => hasAnsweredSecond);
    expect(gate.stats().inFlight).toBe(2);
    client.socket.destroy();
    await until("both slots are back", () => gate.stats().inFlight === 0);
    expect(outcomes.all).toEqual(["ignored", "ignored"]);
  });

  it("R025: holds the slot of a POST until the answer, not until its body is read", async () => {
    const answers: (() => void)[] = [];
    await serve({
      gate: { maxInFlight: 1, queue: { max: 0 } },
      handler: (req, res) => {
        req.resume().once("close", () => answers.push(() => res.end("ok")));
      },
    });
    const first = get("/", { method: "POST", body: "hi" });
    await until("the request has closed", () => answers.length === 1);
    expect(gate.stats().inFlight).toBe(1);
    expect((await get("/", { method: "POST", body: "hi" })).status).toBe(503);
    answers[0]?.();
    expect((await first).status).toBe(200);
  });

  it("R028: frees the slot of a stream that its client cuts, 20 times in a row", async () => {
    await serve({
      gate: { maxInFlight: 1, queue: { max: 0 } },
      handler: (req, res) => {
        if (req.url !== "/stream") return res.end("ok");
        const ticking = setInterval(() => res.write("data: x\n\n"), 1);
        res.once("close", () => clearInterval(ticking));
      },
    });
    for (let round = 1; round <= 20; round++) {
      const client = await rawClient(server.port);
      client.send(request("/stream"));
      await client.receives("data: x\n\n");
      client.socket.resetAndDestroy();
      await until("the slot is back", () => gate.stats().inFlight === 0);
      expect((await get("/plain")).status).toBe(200);
      await until("the slot is back again", () => outcomes.all.length === 2 * round);
    }
    expect(outcomes.all).toEqual(Array.from({ length: 20 }, () => ["ignored", "success"]).flat());
  });

  it("counts 503 and 504 of the handler as dropped, and what an override says unless it throws", async () => {
    await serve({
      gate: { maxInFlight: 1 },
      adapter: {
        outcomeOf: ({ status, outcome }) => {
          if (status === 500) throw new Error("from the override");
          return status === 502 ? "dropped" : outcome;
        },
      },
      handler: (req, res) => {
        res.statusCode = Number(req.url?.slice(1));
        res.end();
      },
    });
    for (const status of [200, 500, 502, 503, 504]) await get(`/${status}`);
    await until("all are over", () => outcomes.all.length === 5);
    expect(outcomes.all).toEqual(["success", "success", "dropped", "dropped", "dropped"]);
  });

  it("answers with the degraded answer that the gate's owner approved", async () => {
    const degraded = { status: 200, headers: { "content-type": "text/plain" }, body: "cached" };
    await serve({ gate: { maxInFlight: 1, queue: { max: 0 }, onReject: () => degraded } });
    const first = get();
    await held.untilHolds(1);
    const answer = await get();
    expect([answer.status, await answer.text()]).toEqual([200, "cached"]);
    held.release();
    await first;
  });

  it("answers a HEAD that it refuses without a body", async () => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 0 } } });
    const first = get();
    await held.untilHolds(1);
    const client = await rawClient(server.port);
    client.send(request("/", { method: "HEAD" }) + request("/metrics"));
    await client.receives("fine");
    expect(client.received()).toMatch(/^HTTP\/1\.1 503 .*\r\n\r\nHTTP\/1\.1 200 /s);
    held.release();
    await first;
  });
});

describe("the backlog endpoint", () => {
  const backlog = async () => (await get("/health/backlog")).json();

  it("counts every request that has come through, exempt ones and itself included", async () => {
    await serve({ gate: { maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 } } });
    expect(await backlog()).toEqual({
      in_flight_requests: 1,
      admitted_requests: 0,
      queued_requests: 0,
      rejected_requests: 0,
    });
    const first = get();
    await held.untilHolds(1);
    const second = get();
    await untilQueued(1);
    await get();
    expect(await backlog()).toEqual({
      in_flight_requests: 3,
      admitted_requests: 1,
      queued_requests: 1,
      rejected_requests: 1,
    });
    held.release();
    await held.untilHolds(1);
    held.release();
    await Promise.all([first, second]);
    await until("both are over", () => gate.stats().inFlight === 0);
    expect(await backlog()).toMatchObject({ in_flight_requests: 1, admitted_requests: 0 });
  });

  it("counts the requests of the whole process, each once, whatever adapters they passed", async () => {
    await serve({ gate: { maxInFlight: 4 } });
    const other = createNodeGate({ gate: createGate({ maxInFlight: 4 }) });
    const otherHeld = new Held();
    const otherServer = await startHttp(other.wrap(nodeGate.wrap(otherHeld.handler)));
    const elsewhere = fetch(otherServer.origin);
    await otherHeld.untilHolds(1);
    expect(await backlog()).toMatchObject({ in_flight_requests: 2, admitted_requests: 1 });
    otherHeld.release();
    await elsewhere;
    await otherServer.close();
    expect(await backlog()).toMatchObject({ in_flight_requests: 1 });
  });

  it("answers GET and HEAD only", async () => {
    await serve({ gate: { maxInFlight: 1 } });
    const answer = await get("/health/backlog", { method: "POST" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await get("/health/backlog", { method: "HEAD" })).status).toBe(200);
  });
});

describe("options of a node gate", () => {
  const core = createGate({ maxInFlight: 1 });
  it.each([
    ["gate", { gate: undefined }],
    ["gate", { gate: {} }],
    ["exemptPaths", { exemptPaths: "/metrics" }],
    ["exemptPaths[1]", { exemptPaths: ["/a", "metrics"] }],
    ["exemptPaths[0]", { exemptPaths: ["/a?b"] }],
    ["mountPrefix", { mountPrefix: "proxy" }],
    ["mountPrefix", { mountPrefix: "/proxy/" }],
    ["render.headers", { render: { headers: "draft-8" } }],
    ["render.colour", { render: { colour: "red" } }],
    ["outcomeOf", { outcomeOf: "success" }],
    ["onError", { onError: 5 }],
    ["maxInFlight", { maxInFlight: 5 }],
  ])("refuse a bad %s: %j", (path, options) => {
    const make = () => createNodeGate({ gate: core, ...options } as never);
    expect(make).toThrow(InvalidOptionsError);
    expect(make).toThrow(`${path}: expected`);
  });
});
