import { Agent, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import {
  adaptiveLimit,
  createGate,
  createLimiter,
  fixedWindow,
  type GateOptions,
  type Limit,
} from "@sluice/core";
import { nastyIds } from "@sluice/testing";
import { afterEach, describe, expect, it } from "vitest";
import { startHttp, type TestServer } from "../../test/servers";
import { createNodeGate } from "../node-gate";
import { createNodeLimits } from "../node-limits";
import type { AdmissionEvent } from "./admission-event";
import { createAdmissionLog } from "./admission-log";
import type { AdmissionLogOptions } from "./admission-log-options";

let server: TestServer<Server>;
let events: AdmissionEvent[];

afterEach(() => server.close());

const minute = (max: number, mode: "enforce" | "shadow" = "enforce") =>
  fixedWindow({ name: "per-minute", max, windowMs: 60_000, mode });

interface Served {
  readonly gate?: Partial<GateOptions>;
  readonly limits?: readonly Limit[];
  readonly log?: Partial<AdmissionLogOptions<IncomingMessage>>;
  readonly handler?: RequestListener;
}

const hello: RequestListener = (_req, res) => void res.end("hello");

/** A server with a gate and, if there are any, limits, that write into `events`. */
async function serve({ gate, limits, log, handler = hello }: Served): Promise<void> {
  events = [];
  const admissionEvents = createAdmissionLog<IncomingMessage>({
    sink: (event) => void events.push(event),
    controllerVersion: "1.2.3",
    ...log,
  });
  const limiter = createLimiter();
  const guard =
    limits &&
    createNodeLimits<IncomingMessage>({
      limiter,
      policy: (req) => ({
        descriptors: [{ kind: "api_key", id: String(req.headers.authorization), limits }],
      }),
      admissionEvents,
    });
  const door =
    gate &&
    createNodeGate({
      gate: createGate({ maxInFlight: 1, ...gate }),
      admissionEvents: admissionEvents as never,
    });
  const guarded = guard ? guard.wrap(handler) : handler;
  server = await startHttp(door ? door.wrap(guarded) : guarded);
}

/** Sends a request, and returns its status when the answer is over. */
async function send(init: RequestInit = {}): Promise<number> {
  const answer = await fetch(server.origin, init);
  await answer.text();
  return answer.status;
}

/** Waits for so many events. */
async function eventsOf(count: number): Promise<readonly AdmissionEvent[]> {
  for (let tries = 0; events.length < count && tries < 500; tries += 1) await pause(4);
  expect(events).toHaveLength(count);
  return events;
}

describe("The event of a request that limits have judged", () => {
  it("says what was decided by which limit, and how the response ended", async () => {
    const allow = { limitName: ["per-minute"], kind: ["api_key"] };
    await serve({ limits: [minute(1)], log: { allow } });
    await send({ method: "POST", body: "x".repeat(1500) });
    expect(await send()).toBe(429);
    expect(await eventsOf(2)).toEqual([
      {
        version: 1,
        controllerVersion: "1.2.3",
        timestampMs: expect.any(Number),
        mechanism: "limits",
        decision: "admitted",
        outcome: "success",
        httpStatus: 200,
        complete: true,
        heldMs: expect.any(Number),
        limit: 1,
        limitName: "per-minute",
        kind: "api_key",
        windowMs: 60_000,
        requestSize: "<10k",
        responseSize: "<1k",
      },
      {
        version: 1,
        controllerVersion: "1.2.3",
        timestampMs: expect.any(Number),
        mechanism: "limits",
        decision: "rejected",
        reason: "window_exhausted",
        retryable: true,
        retryAfterMs: expect.any(Number),
        httpStatus: 429,
        complete: true,
        heldMs: expect.any(Number),
        limit: 1,
        limitName: "per-minute",
        kind: "api_key",
        windowMs: 60_000,
        responseSize: "<1k",
      },
    ]);
  });

  it("of a limit in shadow is admitted as `shadow`", async () => {
    await serve({ limits: [minute(1, "shadow")] });
    await send();
    expect(await send()).toBe(200);
    expect((await eventsOf(2)).map(({ decision }) => decision)).toEqual(["admitted", "shadow"]);
  });
});

describe("The event of a request that a gate has judged", () => {
  it("says what was in flight, how long it waited, and the latency that is a sample", async () => {
    let finish = () => {};
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    await serve({
      gate: { queue: { max: 1, timeoutMs: 5000 } },
      handler: async (_req, res) => {
        await mayFinish;
        await pause(30);
        res.statusCode = 503;
        res.end();
      },
    });
    const sent = [send(), send(), send()];
    await eventsOf(1);
    finish();
    expect(await Promise.all(sent)).toEqual([503, 503, 503]);
    const rejected = (await eventsOf(3)).find(({ decision }) => decision === "rejected");
    expect(rejected).toMatchObject({
      mechanism: "gate",
      reason: "queue_full",
      inFlight: 1,
      queueDepth: 1,
      limit: 1,
      httpStatus: 503,
    });
    const admitted = events.filter(({ decision }) => decision === "admitted");
    expect(admitted.map(({ outcome, sampleBoundary }) => [outcome, sampleBoundary])).toEqual([
      ["dropped", "end"],
      ["dropped", "end"],
    ]);
    const waits = admitted.map(({ queueWaitMs = -1 }) => queueWaitMs);
    expect(Math.min(...waits)).toBe(0);
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(20);
    for (const { sampleMs = 0 } of admitted) expect(sampleMs).toBeGreaterThanOrEqual(25);
  });

  it("of a stream has a sample to its first byte, with the baseline of the limit", async () => {
    const limit = adaptiveLimit();
    const withBaseline = Object.assign(Object.create(limit), {}) as typeof limit;
    Object.defineProperty(withBaseline, "baselineMs", { value: 12 });
    await serve({
      gate: { maxInFlight: limit },
      log: { adaptiveLimit: withBaseline },
      handler: async (_req, res) => {
        await pause(20);
        res.write("first");
        await pause(80);
        res.end("last");
      },
    });
    await send();
    const [event] = await eventsOf(1);
    expect(event).toMatchObject({ sampleBoundary: "first_byte", baselineMs: 12 });
    const { sampleMs = 0, heldMs = 0 } = event ?? {};
    expect(sampleMs).toBeGreaterThanOrEqual(15);
    expect(heldMs - sampleMs).toBeGreaterThanOrEqual(75);
  });

  it("in shadow says why it would have been refused", async () => {
    await serve({
      gate: { mode: "shadow" },
      handler: async (_req, res) => {
        await pause(20);
        res.end();
      },
    });
    await Promise.all([send(), send()]);
    const shadow = (await eventsOf(2)).filter(({ decision }) => decision === "shadow");
    expect(shadow).toMatchObject([{ reason: "queue_full", outcome: "success", httpStatus: 200 }]);
  });

  it("whose client leaves while it waits, or before the answer is whole, says so", async () => {
    await serve({ gate: { queue: { max: 1, timeoutMs: 5000 } }, handler: () => {} });
    const agent = new Agent();
    const leavers = [1, 2].map(() => request(server.origin, { agent }).on("error", () => {}));
    for (const leaver of leavers) {
      leaver.end();
      await pause(30);
    }
    leavers[1]?.destroy();
    await eventsOf(1);
    leavers[0]?.destroy();
    expect(await eventsOf(2)).toMatchObject([
      { decision: "rejected", reason: "aborted", complete: false },
      { decision: "admitted", outcome: "ignored", complete: false },
    ]);
    expect(events[1]).not.toHaveProperty("sampleMs");
  });

  it("is not written for exempt paths", async () => {
    await serve({ gate: {} });
    const answer = await fetch(`${server.origin}/health/liveliness`);
    await answer.text();
    await send();
    await eventsOf(1);
  });
});

describe("What only the server knows", () => {
  it("is written if it is of the right kind, names only from their lists", async () => {
    await serve({
      gate: {},
      log: {
        allow: { route: ["chat"], provider: ["one"] },
        describe: () => ({
          requestId: "r-1",
          route: "chat",
          provider: "two",
          region: "eu",
          streaming: true,
          attempt: 2,
          tokenEstimate: 1200,
        }),
      },
    });
    await send();
    const [event] = await eventsOf(1);
    expect(event).toMatchObject({
      requestId: "r-1",
      route: "chat",
      provider: "redacted",
      region: "redacted",
      streaming: true,
      attempt: 2,
      tokenEstimate: "<10k",
    });
    expect(event).not.toHaveProperty("modelClass");
  });

  it.each([undefined, null, 5, "text", { attempt: 0, streaming: "yes", tokenEstimate: "many" }])(
    "is left out where it is %j",
    async (said) => {
      await serve({ gate: {}, log: { describe: () => said as never } });
      await send();
      const [event] = await eventsOf(1);
      expect(Object.keys(event ?? {})).toEqual(
        expect.not.arrayContaining(["attempt", "streaming", "tokenEstimate"]),
      );
    },
  );
});

describe("A log that fails", () => {
  it.each([
    [
      "a sink that throws",
      {
        sink: () => {
          throw new Error("full");
        },
      },
    ],
    [
      "a sink that rejects",
      {
        sink: async () => {
          throw new Error("full");
        },
      },
    ],
    [
      "a description that throws",
      {
        describe: () => {
          throw new Error("none");
        },
      },
    ],
  ] as [string, Partial<AdmissionLogOptions<IncomingMessage>>][])(
    "does not reach the request: %s",
    async (_name, log) => {
      await serve({ gate: {}, limits: [minute(1)], log });
      expect([await send(), await send()]).toEqual([200, 429]);
      expect(await send()).toBe(429);
    },
  );
});

describe("No part of what a caller sends", () => {
  it("appears in an event, wherever it stood", async () => {
    await serve({
      gate: {},
      limits: [minute(100)],
      log: {
        allow: { route: ["chat"] },
        describe: (req) => {
          const sent = String(req.headers["x-sent"]);
          return {
            requestId: `${sent}/`,
            route: sent,
            provider: sent,
            region: sent,
            modelClass: sent,
          };
        },
      },
    });
    const texts = [...nastyIds.flat(), ...Array.from({ length: 30 }, (_, n) => `secret-${n}-key`)];
    const secrets = texts
      .map((text) => text.replace(/[^\x21-\x7e]/g, "~").slice(0, 2000))
      .filter((text) => text.length > 6);
    expect(secrets.length).toBeGreaterThan(30);
    for (const sent of secrets) {
      const headers = { authorization: sent, "x-sent": sent, cookie: sent };
      const url = `${server.origin}/${encodeURIComponent(sent)}`;
      await (await fetch(url, { method: "POST", body: sent, headers })).text();
    }
    const written = (await eventsOf(2 * secrets.length)).flatMap(Object.values).join("\n");
    for (const secret of secrets) expect(written).not.toContain(secret);
  });
});
