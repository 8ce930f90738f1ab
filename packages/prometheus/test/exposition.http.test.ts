import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { adaptiveLimit, createGate, createLimiter, fixedWindow } from "@sluice/core";
import { prometheusRecorder } from "@sluice/prometheus";
import { Registry } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import { familiesIn, ofMetric, seriesOf } from "./scrape";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server with a gate, a limit of two requests, and `/metrics`; returns where it listens. */
async function serve(): Promise<string> {
  const registry = new Registry();
  const metrics = prometheusRecorder({ registry });
  const limit = adaptiveLimit({ name: "front", recorder: metrics });
  const gate = createGate({ name: "front", maxInFlight: limit, recorder: metrics });
  const limiter = createLimiter({ recorder: metrics });
  metrics.watch({ gates: { front: gate }, limiters: { limiter }, limits: { front: limit } });
  const limits = [fixedWindow({ name: "per-minute", max: 2, windowMs: 60_000 })];
  const question = { descriptors: [{ kind: "all", id: "all", limits }] };
  const listener: RequestListener = async (req, res) => {
    if (req.url === "/metrics") {
      res.setHeader("content-type", registry.contentType);
      res.end(await registry.metrics());
      return;
    }
    const entered = await gate.enter();
    const verdict = await limiter.admit(question);
    res.statusCode = verdict.admitted ? 200 : 429;
    if (verdict.admitted) await verdict.permit.release();
    if (entered.admitted) entered.permit.end();
    res.end("hello");
  };
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("The text at /metrics", () => {
  it("says of each metric what it is, and has the numbers of what happened", async () => {
    const url = await serve();
    const statuses: number[] = [];
    for (let each = 0; each < 3; each += 1) {
      const answer = await fetch(url);
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get("content-type")).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
    const text = await answer.text();

    const families = familiesIn(text);
    expect(families.length).toBeGreaterThan(40);
    for (const { name, help, type } of families) {
      expect(name).toMatch(/^sluice_[a-z_]+$/);
      expect(help).not.toBe("");
      expect(["COUNTER", "GAUGE", "HISTOGRAM"]).toContain(type);
      expect(name.endsWith("_total")).toBe(type === "COUNTER");
    }

    const series = seriesOf(text);
    expect(Object.values(ofMetric(series, "verdicts_total"))).toEqual([2, 1]);
    expect(ofMetric(series, "gate_admitted_total")).toEqual({ '{class="none",gate="front"}': 3 });
    expect(ofMetric(series, "gate_in_flight")).toEqual({ '{class="none",gate="front"}': 0 });
    expect(ofMetric(series, "gate_max_in_flight")).toEqual({ '{gate="front"}': 20 });
    expect(ofMetric(series, "adaptive_limit")).toEqual({ '{limit="front"}': 20 });
  });

  it("has histograms whose buckets grow to their count", async () => {
    const url = await serve();
    await (await fetch(url)).text();
    const series = seriesOf(await (await fetch(`${url}/metrics`)).text());
    const counts = ofMetric(series, "gate_hold_seconds_count");
    expect(Object.keys(counts)).toEqual(['{class="none",gate="front",outcome="success"}']);
    const buckets = Object.values(ofMetric(series, "gate_hold_seconds_bucket"));
    expect(buckets).toHaveLength(17);
    expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
    expect(buckets.at(-1)).toBe(1);
  });
});
