import { createGate, InvalidOptionsError } from "@sluice/core";
import { AggregatorRegistry, Counter, Registry, register } from "prom-client";
import { describe, expect, it } from "vitest";
import { ofMetric, scrape, seriesOf } from "../test/scrape";
import { prometheusRecorder } from "./create-recorder";

const admitted = { type: "gate_admitted", gate: "front", waitedMs: 0, shadow: false } as const;
const front = '{class="none",gate="front"}';

describe("prometheusRecorder", () => {
  it("registers with the registry that it is given, and with no other", async () => {
    const registry = new Registry();
    prometheusRecorder({ registry, prefix: "own_" });
    expect(registry.getMetricsAsArray().length).toBeGreaterThan(40);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it("takes the global registry by default", async () => {
    prometheusRecorder().record(admitted);
    expect(ofMetric(seriesOf(await register.metrics()), "gate_admitted_total")).toEqual({
      [front]: 1,
    });
    register.clear();
  });

  it("counts once when it is made twice for one registry (A9)", async () => {
    const registry = new Registry();
    const one = prometheusRecorder({ registry });
    const other = prometheusRecorder({ registry });
    const gate = createGate({ maxInFlight: 1, name: "front", recorder: other });
    one.watch({ gates: { front: gate } });
    other.watch({ gates: { front: gate } });
    one.record(admitted);
    await gate.enter();
    const series = await scrape(registry);
    expect(ofMetric(series, "gate_admitted_total")).toEqual({ [front]: 2 });
    expect(ofMetric(series, "gate_in_flight")).toEqual({ [front]: 1 });
  });

  it("counts apart under two prefixes, and in two registries", async () => {
    const registry = new Registry();
    const another = new Registry();
    prometheusRecorder({ registry, prefix: "a_" }).record(admitted);
    prometheusRecorder({ registry, prefix: "b_" });
    prometheusRecorder({ registry: another });
    expect(ofMetric(await scrape(registry, "a_"), "gate_admitted_total")).toEqual({ [front]: 1 });
    expect(ofMetric(await scrape(registry, "b_"), "gate_admitted_total")).toEqual({});
    expect(ofMetric(await scrape(another), "gate_admitted_total")).toEqual({});
  });

  it("registers again after the registry was cleared, and goes on counting", async () => {
    const registry = new Registry();
    prometheusRecorder({ registry }).record(admitted);
    registry.clear();
    prometheusRecorder({ registry }).record(admitted);
    expect(ofMetric(await scrape(registry), "gate_admitted_total")).toEqual({ [front]: 2 });
  });

  it("starts anew when the metrics are reset", async () => {
    const registry = new Registry();
    const metrics = prometheusRecorder({ registry });
    metrics.record(admitted);
    await registry.metrics();
    registry.resetMetrics();
    metrics.record(admitted);
    const series = await scrape(registry);
    expect(ofMetric(series, "gate_admitted_total")).toEqual({ [front]: 1 });
    expect(Object.values(ofMetric(series, "gate_wait_seconds_count"))).toEqual([1]);
  });

  it("starts anew when they are reset before they were read", async () => {
    const registry = new Registry();
    const metrics = prometheusRecorder({ registry });
    metrics.record(admitted);
    registry.resetMetrics();
    metrics.record(admitted);
    expect(ofMetric(await scrape(registry), "gate_admitted_total")).toEqual({ [front]: 1 });
  });

  it("may be made again after its registry has failed halfway", async () => {
    const registry = new Registry();
    const { registerMetric } = registry;
    let calls = 0;
    registry.registerMetric = (metric) => {
      calls += 1;
      if (calls === 3) throw new Error("busy");
      registerMetric.call(registry, metric);
    };
    expect(() => prometheusRecorder({ registry })).toThrow("busy");
    prometheusRecorder({ registry }).record(admitted);
    expect(ofMetric(await scrape(registry), "gate_admitted_total")).toEqual({ [front]: 1 });
  });

  it("does not take the name of a metric that is somebody else's", () => {
    const registry = new Registry();
    new Counter({ name: "sluice_verdicts_total", help: "mine", registers: [registry] });
    const make = () => prometheusRecorder({ registry });
    expect(make).toThrow(InvalidOptionsError);
    expect(make).toThrow("the registry has no metrics (it has sluice_verdicts_total)");
    expect(registry.getMetricsAsArray()).toHaveLength(1);
  });

  it("writes the text of OpenMetrics too", async () => {
    const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    prometheusRecorder({ registry }).record(admitted);
    const text = await registry.metrics();
    expect(text).toContain("# TYPE sluice_gate_admitted counter");
    expect(text).toContain(`sluice_gate_admitted_total{gate="front",class="none"} 1`);
    expect(text.endsWith("# EOF\n")).toBe(true);
  });

  it.each([
    [{ registry: {} }, "registry: expected an object with the methods"],
    [{ prefix: "1a" }, "prefix: expected a letter or _"],
    [{ prefix: "" }, "prefix: expected a letter or _"],
    [{ buckets: [] }, "buckets: expected a list of 1 to 64"],
    [{ buckets: [0, 1] }, "buckets: expected a list of 1 to 64"],
    [{ buckets: [1, 1] }, "buckets: expected a list of 1 to 64"],
    [{ buckets: [1, Number.POSITIVE_INFINITY] }, "buckets: expected a list of 1 to 64"],
    [{ maxSeries: 9 }, "maxSeries: expected an integer from 10"],
    [{ upstreamLabel: "model" }, "upstreamLabel: expected a function"],
    [{ labels: [] }, "labels: expected no such option"],
  ])("refuses %j", (options, message) => {
    expect(() => prometheusRecorder(options as never)).toThrow(message);
  });
});

describe("Several processes, in the aggregator of prom-client", () => {
  it("have sums of what is counted or in flight, and means of what each has found", async () => {
    const processes = [1, 2, 3].map((size) => {
      const registry = new Registry();
      const metrics = prometheusRecorder({ registry });
      const gate = createGate({ maxInFlight: 10 * size, name: "front", recorder: metrics });
      const limit = { limit: 10 * size, baselineMs: 125 * size, gradient: size / 4 };
      metrics.watch({ gates: { front: gate }, limits: { chat: limit } });
      for (let each = 0; each < size; each += 1) void gate.enter();
      return registry;
    });
    const texts = await Promise.all(processes.map((registry) => registry.getMetricsAsJSON()));
    const series = seriesOf(await AggregatorRegistry.aggregate(texts).metrics());
    expect(ofMetric(series, "gate_admitted_total")).toEqual({ [front]: 6 });
    expect(ofMetric(series, "gate_in_flight")).toEqual({ [front]: 6 });
    expect(ofMetric(series, "gate_max_in_flight")).toEqual({ '{gate="front"}': 60 });
    expect(Object.values(ofMetric(series, "gate_wait_seconds_count"))).toEqual([6]);
    expect(ofMetric(series, "adaptive_limit")).toEqual({ '{limit="chat"}': 20 });
    expect(ofMetric(series, "adaptive_baseline_seconds")).toEqual({ '{limit="chat"}': 0.25 });
    expect(ofMetric(series, "adaptive_gradient_ratio")).toEqual({ '{limit="chat"}': 0.5 });
  });
});
