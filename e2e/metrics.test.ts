import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { createGate, createLimiter, fixedWindow, memoryStore, type Store } from "@sluice/core";
import { expressGate } from "@sluice/express";
import { fastifyGate } from "@sluice/fastify";
import { koaGate } from "@sluice/koa";
import { createNodeGate, createNodeLimits } from "@sluice/node";
import { prometheusRecorder } from "@sluice/prometheus";
import express from "express";
import { fastify } from "fastify";
import Koa from "koa";
import { Registry } from "prom-client";
import { afterEach, expect, it } from "vitest";
import { listen, type Started } from "./admission-events/servers";

let server: Started | undefined;

afterEach(() => server?.close());

/** Sends a request whose client leaves after a while, if it is told to; the status, or 0. */
function send(path: string, headers: Record<string, string> = {}, leaveAfterMs = 0) {
  const { port } = server as Started;
  return new Promise<number>((resolve) => {
    const sent = get({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
      answer.resume().on("close", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", () => resolve(0));
    if (leaveAfterMs > 0) setTimeout(() => sent.destroy(), leaveAfterMs);
  });
}

/** Numbers by metric and labels. */
async function seriesOf(registry: Registry): Promise<Map<string, number>> {
  const series = new Map<string, number>();
  for (const { name, values } of await registry.getMetricsAsJSON()) {
    for (const { labels, value, ...rest } of values as never[] as SeriesValue[]) {
      series.set(`${rest.metricName ?? name}${JSON.stringify(labels)}`, value);
    }
  }
  return series;
}

interface SeriesValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly metricName?: string;
}

function sumOf(series: ReadonlyMap<string, number>, metric: string, label = ""): number {
  const own = [...series].filter(([key]) => key.startsWith(`${metric}{`) && key.includes(label));
  return own.reduce((sum, [, value]) => sum + value, 0);
}

/** A store that can be taken away, for as long as somebody likes. */
function breakableStore() {
  const memory = memoryStore();
  const state = { isAway: false };
  const store = new Proxy(memory, {
    get(target, name) {
      // A store that answers at once is in this process, and is never away.
      if (name === "admitNow") return undefined;
      const member = Reflect.get(target, name, target) as unknown;
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (state.isAway && name === "admit") return Promise.reject(new Error("away"));
        return member.apply(target, given) as unknown;
      };
    },
  }) as Store;
  return { store, state };
}

/** One server with a gate of two slots and limits, with everything that a recorder hears of. */
async function serve() {
  const registry = new Registry();
  const recorder = prometheusRecorder({ registry });
  const { store, state } = breakableStore();
  const limiter = createLimiter({ store, recorder, onStoreUnavailable: "reject" });
  const gate = createGate({
    name: "door",
    maxInFlight: 2,
    queue: { max: 2, timeoutMs: 40 },
    classes: { chat: { weight: 1 }, batch: { weight: 1 } },
    defaultClass: "chat",
    recorder,
  });
  recorder.watch({ gates: { door: gate }, limiters: { limiter } });
  const limits = [
    fixedWindow({ name: "each", max: 3, windowMs: 600_000 }),
    fixedWindow({ name: "try", max: 1, windowMs: 600_000, mode: "shadow" }),
  ];
  const asked = { gate: 0, limits: 0 };
  const guarded = createNodeLimits({
    limiter,
    policy: (req) => {
      asked.limits += 1;
      return { descriptors: [{ kind: "key", id: String(req.headers.authorization), limits }] };
    },
  }).wrap(async (req, res) => {
    await pause(15);
    res.statusCode = req.url?.includes("fail") ? 500 : 200;
    res.end("hello");
  });
  const door = createNodeGate({
    gate,
    class: (req) => {
      asked.gate += 1;
      return req.headers["x-class"] === "batch" ? "batch" : undefined;
    },
    fairnessKey: (req) => String(req.headers.authorization),
  });
  server = await listen(createServer(door.wrap(guarded)));
  return { registry, gate, state, asked };
}

it("R086: with clients that leave, an outage and a drain every count adds up", async () => {
  const { registry, gate, state, asked } = await serve();
  const crowd = (size: number, name: string) =>
    Promise.all(
      Array.from({ length: size }, (_, n) =>
        send(n % 3 === 0 ? "/fail" : "/", { authorization: `${name}-${n % 4}` }, (n % 5) * 6),
      ),
    );
  const held = await Promise.all([gate.enter(), gate.enter()]);
  asked.gate += held.length;
  gate.update({ queue: { max: 2, timeoutMs: 10_000 } });
  const leaver = send("/", {}, 200);
  while (gate.stats().queued === 0) await pause(1);
  await leaver;
  while (gate.stats().queued > 0) await pause(1);
  gate.update({ queue: { max: 2, timeoutMs: 40 } });
  for (const verdict of held) if (verdict.admitted) verdict.permit.end();
  await crowd(40, "one");
  const settled = async () => {
    while (gate.stats().inFlight > 0) await pause(2);
  };
  await settled();
  for (let n = 0; n < 4; n += 1) await send("/", { authorization: "loud" });
  state.isAway = true;
  expect(await send("/", { authorization: "loud" })).toBe(503);
  await crowd(10, "two");
  await settled();
  state.isAway = false;
  await send("/", { authorization: "after" });
  const waiting = crowd(4, "three");
  await pause(8);
  void gate.drain();
  await waiting;
  await send("/");
  await settled();
  await pause(20);
  const series = await seriesOf(registry);
  const admitted = sumOf(series, "sluice_gate_admitted_total");
  const rejected = sumOf(series, "sluice_gate_rejected_total");
  expect(admitted + rejected).toBe(asked.gate);
  expect(sumOf(series, "sluice_gate_wait_seconds_count")).toBe(asked.gate);
  expect(sumOf(series, "sluice_gate_hold_seconds_count")).toBe(admitted);
  expect(sumOf(series, "sluice_gate_rejected_total", '"aborted"')).toBeGreaterThan(0);
  expect(sumOf(series, "sluice_gate_rejected_total", '"draining"')).toBeGreaterThan(0);
  expect(sumOf(series, "sluice_gate_in_flight")).toBe(0);
  expect(sumOf(series, "sluice_gate_queued")).toBe(0);
  expect(sumOf(series, "sluice_gate_draining")).toBe(1);
  const verdicts = ["admitted", "rejected", "error"].map((outcome) =>
    sumOf(series, "sluice_verdicts_total", `"outcome":"${outcome}"`),
  );
  expect(Math.min(...verdicts)).toBeGreaterThan(0);
  expect(verdicts.reduce((sum, each) => sum + each, 0)).toBe(asked.limits);
  expect(sumOf(series, "sluice_checks_total", '"would_reject"')).toBeGreaterThan(0);
  expect(sumOf(series, "sluice_checks_total", '"violated"')).toBe(verdicts[1]);
  expect(sumOf(series, "sluice_store_errors_total")).toBe(verdicts[2]);
  expect(sumOf(series, "sluice_permits_closed_total")).toBe(verdicts[0]);
});

it("R087: nothing that callers send makes a series, or is in one", async () => {
  const { registry } = await serve();
  const round = async (first: number) => {
    for (let n = first; n < first + 60; n += 1) {
      const secret = `secret${n}`;
      const headers = { authorization: secret, "user-agent": secret, "x-class": secret };
      await send(`/${secret}?${secret}`, headers);
    }
    for (let n = 0; n < 5; n += 1) await send("/", { authorization: "same", "x-class": "batch" });
  };
  await round(0);
  const before = [...(await seriesOf(registry)).keys()];
  await round(1000);
  expect([...(await seriesOf(registry)).keys()]).toEqual(before);
  expect(await registry.metrics()).not.toContain("secret");
});

const guide = readFileSync(new URL("../docs/guides/metrics-and-logs.md", import.meta.url), "utf8");

/** The code that the guide shows for a framework, as a function of `names` that may await. */
function routeOf(framework: string, ...names: string[]): (...given: unknown[]) => Promise<unknown> {
  const [, code] = new RegExp(`^\\| ${framework} \\| \`(.+)\` \\|$`, "m").exec(guide) ?? [];
  if (code === undefined) throw new Error(`the guide has no route for ${framework}`);
  return new Function(...names, `return (async () => { ${code} })();`) as never;
}

/** The routes of the guide, each behind a gate that is full. */
const routes: Readonly<Record<string, (register: Registry) => Promise<Started>>> = {
  Express: async (register) => {
    const app = express();
    app.use(expressGate(fullGate(register)));
    await routeOf("Express", "app", "register")(app, register);
    return listen(createServer(app));
  },
  Koa: (register) => {
    const app = new Koa();
    app.use(koaGate(fullGate(register)));
    const route = routeOf("Koa", "ctx", "register");
    app.use((ctx) => route(ctx, register));
    return listen(createServer(app.callback()));
  },
  Fastify: async (register) => {
    const app = fastify();
    await app.register(fastifyGate, fullGate(register));
    await routeOf("Fastify", "app", "register")(app, register);
    const origin = await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: Number(new URL(origin).port), close: () => app.close() };
  },
};

function fullGate(registry: Registry) {
  const recorder = prometheusRecorder({ registry });
  const gate = createGate({ name: "front", maxInFlight: 1, queue: { max: 0 }, recorder });
  recorder.watch({ gates: { front: gate } });
  void gate.enter();
  return { gate, exemptPaths: ["/metrics"] };
}

it.each(Object.entries(routes))(
  "/metrics of %s answers while the gate is full",
  async (_, start) => {
    const registry = new Registry();
    server = await start(registry);
    expect(await send("/")).toBe(503);
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect(answer.status).toBe(200);
    const type = (answer.headers.get("content-type") ?? "").split("; ");
    expect(type.sort()).toEqual(["charset=utf-8", "text/plain", "version=0.0.4"]);
    const text = await answer.text();
    expect(text).toContain('sluice_gate_in_flight{gate="front",class="none"} 1\n');
    expect(text).toContain(
      'sluice_gate_rejected_total{gate="front",class="none",reason="queue_full"} 1\n',
    );
  },
);
