import {
  adaptiveLimit,
  createGate,
  createLimiter,
  createUpstreams,
  fixedWindow,
  memoryStore,
  priorityPool,
  type SluiceEvent,
  StoreError,
} from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { ofMetric, scrape } from "../test/scrape";
import { prometheusRecorder } from "./create-recorder";
import type { PrometheusRecorderOptions } from "./recorder-options";

const MINUTE_MS = 60_000;

function setUp(options: PrometheusRecorderOptions = {}) {
  const clock = new FakeClock();
  const random = seededRandom(1);
  const registry = new Registry();
  const metrics = prometheusRecorder({ registry, clock, ...options });
  const ports = { clock, random, recorder: metrics };
  const read = async (metric: string) => ofMetric(await scrape(registry), metric);
  return { clock, random, registry, metrics, ports, read };
}

const questionOf = (limits: readonly ReturnType<typeof fixedWindow>[], id = "ada") => ({
  descriptors: [{ kind: "user", id, limits }],
});

describe("R086: verdicts", () => {
  it("are counted once each: admitted, rejected and errors add up to the questions", async () => {
    const { ports, clock, read } = setUp();
    const limiter = createLimiter({ ...ports, store: memoryStore(ports) });
    const limits = [fixedWindow({ name: "minute", max: 2, windowMs: MINUTE_MS })];
    for (let each = 0; each < 5; each += 1) await limiter.admit(questionOf(limits));
    await limiter.close();
    await limiter.admit(questionOf(limits));
    clock.advance(1);
    const verdicts = await read("verdicts_total");
    expect(verdicts).toEqual({
      '{limiter="limiter",outcome="admitted",reason="none",source="store"}': 2,
      '{limiter="limiter",outcome="rejected",reason="window_exhausted",source="store"}': 3,
      '{limiter="limiter",outcome="error",reason="store_unavailable",source="policy"}': 1,
    });
    expect(Object.values(verdicts).reduce((sum, each) => sum + each, 0)).toBe(6);
    expect(await read("checks_total")).toEqual({
      '{kind="user",limit="minute",limiter="limiter",result="passed",unit="requests"}': 2,
      '{kind="user",limit="minute",limiter="limiter",result="violated",unit="requests"}': 3,
    });
  });

  it("of a shadow limit are all admitted, and its would-be refusals are counted apart", async () => {
    const { ports, read } = setUp();
    const limiter = createLimiter(ports);
    const limits = [fixedWindow({ name: "minute", max: 1, windowMs: MINUTE_MS, mode: "shadow" })];
    for (let each = 0; each < 5; each += 1) await limiter.admit(questionOf(limits));
    expect(await read("verdicts_total")).toEqual({
      '{limiter="limiter",outcome="admitted",reason="none",source="store"}': 5,
    });
    expect(await read("checks_total")).toEqual({
      '{kind="user",limit="minute",limiter="limiter",result="passed",unit="requests"}': 1,
      '{kind="user",limit="minute",limiter="limiter",result="would_reject",unit="requests"}': 4,
    });
  });

  it("carry the name of their limiter", async () => {
    const { ports, metrics, read } = setUp();
    const limiter = createLimiter({ ...ports, recorder: metrics.named("chat") });
    await limiter.admit(questionOf([fixedWindow({ max: 1, windowMs: MINUTE_MS })]));
    expect(Object.keys(await read("verdicts_total"))).toEqual([
      '{limiter="chat",outcome="admitted",reason="none",source="store"}',
    ]);
    expect(() => metrics.named("a b")).toThrow("limiter: expected 1 to 64 characters");
  });
});

describe("R087: the number of series", () => {
  it("is the same after 100 000 callers as after one", async () => {
    const { registry, ports } = setUp();
    const limiter = createLimiter({ ...ports, store: memoryStore({ ...ports, maxKeys: 1000 }) });
    const limits = [fixedWindow({ max: 1, windowMs: MINUTE_MS })];
    const ask = async (from: number, to: number) => {
      for (let each = from; each < to; each += 1) {
        await limiter.admit(questionOf(limits, `user-${each}`));
      }
    };
    await ask(0, 1002);
    const before = [...(await scrape(registry)).keys()];
    await ask(1002, 100_000);
    const after = await scrape(registry);
    expect([...after.keys()]).toEqual(before);
    expect(after.get('keys_evicted_total{limiter="limiter"}')).toBeGreaterThan(90_000);
  });

  it("is bounded also where names come from callers after all: the rest is `other`", async () => {
    const { metrics, registry, read } = setUp({ maxSeries: 10 });
    for (let each = 0; each < 5_000; each += 1) {
      metrics.record({ type: "gate_admitted", gate: `g${each}`, waitedMs: each, shadow: false });
      metrics.record({ type: "limit_changed", limit: `l${each}`, from: 1, to: 2, reason: "loss" });
    }
    const admitted = await read("gate_admitted_total");
    expect(Object.keys(admitted)).toHaveLength(11);
    expect(admitted['{class="other",gate="other"}']).toBe(4_990);
    expect((await read("adaptive_changes_total"))['{limit="other",reason="loss"}']).toBe(4_990);
    const waits = await read("gate_wait_seconds_count");
    expect(waits['{class="other",gate="other",outcome="admitted"}']).toBe(4_990);
    expect((await scrape(registry)).size).toBeLessThan(300);
  });

  it("does not grow with what is not a name: ids, keys and errors never become labels", async () => {
    const { metrics, registry } = setUp();
    const descriptor = { kind: "user", id: "secret-1", limits: [] };
    const error = new Error("secret-2");
    const events: SluiceEvent[] = [
      { type: "lease_lost", permitId: "secret-3", descriptor, limit: "slots" },
      { type: "store_failed", operation: "admit", error },
      { type: "store_unavailable", policy: "local", operation: "admit", error },
      { type: "key_evicted", key: "user:secret-1" },
      { type: "state_replaced", key: "user:secret-1", limit: "slots" },
      { type: "local_use_dropped", key: "user:secret-1" },
      { type: "upstream_paused", outbound: "providers", upstream: "secret-4", waitMs: 5 },
    ];
    for (const event of events) metrics.record(event);
    expect(await registry.metrics()).not.toContain("secret");
  });
});

describe("A gate", () => {
  it("is counted and measured by class, reason and outcome", async () => {
    const { ports, clock, read } = setUp();
    const gate = createGate({
      ...ports,
      name: "front",
      maxInFlight: 1,
      queue: { max: 1, timeoutMs: 500 },
      classes: { chat: { weight: 1 }, batch: { weight: 1 } },
    });
    const first = await gate.enter({ class: "chat" });
    const second = gate.enter({ class: "batch" });
    await gate.enter({ class: "chat" });
    clock.advance(40);
    if (first.admitted) first.permit.firstByte();
    clock.advance(210);
    if (first.admitted) first.permit.end("dropped");
    const late = await second;
    clock.advance(4);
    if (late.admitted) late.permit.end();
    expect(await read("gate_admitted_total")).toEqual({
      '{class="chat",gate="front"}': 1,
      '{class="batch",gate="front"}': 1,
    });
    expect(await read("gate_rejected_total")).toEqual({
      '{class="chat",gate="front",reason="queue_full"}': 1,
    });
    expect(await read("gate_wait_seconds_sum")).toEqual({
      '{class="chat",gate="front",outcome="admitted"}': 0,
      '{class="batch",gate="front",outcome="admitted"}': 0.25,
      '{class="chat",gate="front",outcome="rejected"}': 0,
    });
    expect(await read("gate_hold_seconds_sum")).toEqual({
      '{class="chat",gate="front",outcome="dropped"}': 0.25,
      '{class="batch",gate="front",outcome="success"}': 0.004,
    });
    expect(await read("gate_first_byte_seconds_sum")).toEqual({
      '{class="chat",gate="front"}': 0.04,
    });
    const holds = await read("gate_hold_seconds_bucket");
    const of = (le: string) => holds[`{class="chat",gate="front",le="${le}",outcome="dropped"}`];
    expect([of("0.1"), of("0.25"), of("0.5"), of("+Inf")]).toEqual([0, 1, 1, 1]);
  });

  it("in shadow counts whom it would have refused apart from those it refused", async () => {
    const { ports, read } = setUp();
    const gate = createGate({ ...ports, name: "front", maxInFlight: 1, mode: "shadow" });
    await gate.enter();
    await gate.enter();
    expect(await read("gate_admitted_total")).toEqual({ '{class="none",gate="front"}': 2 });
    expect(await read("gate_rejected_total")).toEqual({});
    expect(await read("gate_shadow_rejected_total")).toEqual({
      '{class="none",gate="front",reason="queue_full"}': 1,
    });
  });
});

describe("R086: what is watched", () => {
  it("is read when somebody looks, also after the limit was changed", async () => {
    const { ports, metrics, read } = setUp();
    const gate = createGate({ ...ports, maxInFlight: 20, queue: { max: 5 } });
    const end = metrics.watch({ gates: { front: gate } });
    for (let each = 0; each < 22; each += 1) void gate.enter();
    expect(await read("gate_max_in_flight")).toEqual({ '{gate="front"}': 20 });
    expect(await read("gate_in_flight")).toEqual({ '{class="none",gate="front"}': 20 });
    expect(await read("gate_queued")).toEqual({ '{class="none",gate="front"}': 2 });
    gate.update({ maxInFlight: 41 });
    expect(await read("gate_max_in_flight")).toEqual({ '{gate="front"}': 41 });
    expect(await read("gate_in_flight")).toEqual({ '{class="none",gate="front"}': 22 });
    expect(await read("gate_draining")).toEqual({ '{gate="front"}': 0 });
    void gate.drain();
    expect(await read("gate_draining")).toEqual({ '{gate="front"}': 1 });
    end();
    expect(await read("gate_max_in_flight")).toEqual({});
  });

  it("is of one of a name: another one takes its place, and is not ended by the first", async () => {
    const { ports, metrics, read } = setUp();
    const end = metrics.watch({ gates: { front: createGate({ ...ports, maxInFlight: 1 }) } });
    metrics.watch({ gates: { front: createGate({ ...ports, maxInFlight: 2 }) } });
    end();
    expect(await read("gate_max_in_flight")).toEqual({ '{gate="front"}': 2 });
  });

  it("costs the rest nothing if it cannot be read", async () => {
    const { ports, metrics, read } = setUp();
    const broken = {
      ...createGate({ maxInFlight: 1 }),
      settings: {} as never,
      isDraining: false,
      stats: () => {
        throw new Error("broken");
      },
    };
    metrics.watch({ gates: { broken, front: createGate({ ...ports, maxInFlight: 1 }) } });
    expect(await read("gate_in_flight")).toEqual({ '{class="none",gate="front"}': 0 });
  });

  it.each([
    [{ gate: {} }, "no such option (known: gates, limiters, limits, upstreams, stores)"],
    [{ gates: { front: {} } }, "gates.front: expected one of the gates"],
    [{ stores: { main: undefined } }, "stores.main: expected one of the stores"],
    [{ limits: 5 }, "limits: expected an options object"],
  ])("is what it should be: %j is not", (watched, message) => {
    expect(() => setUp().metrics.watch(watched as never)).toThrow(message);
  });
});

describe("An adaptive limit", () => {
  it("shows its value, its baseline and its gradient, and counts its moves", async () => {
    const { ports, clock, metrics, read } = setUp();
    const limit = adaptiveLimit({ ...ports, name: "chat" });
    metrics.watch({ limits: { chat: limit } });
    expect(await read("adaptive_limit")).toEqual({ '{limit="chat"}': 20 });
    expect(await read("adaptive_baseline_seconds")).toEqual({});
    for (let each = 0; each < 300; each += 1) {
      clock.advance(50);
      limit.onSample({ latencyMs: 100, inFlight: limit.limit, outcome: "success" });
    }
    limit.useStatic(7);
    expect(await read("adaptive_limit")).toEqual({ '{limit="chat"}': 7 });
    expect((await read("adaptive_baseline_seconds"))['{limit="chat"}']).toBeCloseTo(0.1, 9);
    expect((await read("adaptive_gradient_ratio"))['{limit="chat"}']).toBeCloseTo(1, 9);
    const changes = await read("adaptive_changes_total");
    expect(changes['{limit="chat",reason="static"}']).toBe(1);
    expect(changes['{limit="chat",reason="headroom"}']).toBeGreaterThan(0);
    metrics.record({
      type: "limit_unstable",
      limit: "chat",
      cause: "at_floor",
      value: 1,
      forMs: 30_000,
    });
    expect(await read("adaptive_unstable_total")).toEqual({ '{cause="at_floor",limit="chat"}': 1 });
  });
});

describe("Upstreams", () => {
  it("share one label, or have that which the option makes of their keys", async () => {
    for (const upstreamLabel of [undefined, (text: string) => text.split(":")[0] ?? ""]) {
      const { ports, metrics, read } = setUp(upstreamLabel && { upstreamLabel });
      const upstreams = createUpstreams({
        ...ports,
        name: "providers",
        maxInFlight: 1,
        queue: { max: 0 },
      });
      metrics.watch({ upstreams: { providers: upstreams } });
      for (const model of ["small", "large"]) {
        await upstreams.upstream({ route: "chat", model }).enter();
        await upstreams.upstream({ route: "chat", model }).enter();
      }
      const paused = upstreams.upstream({ route: "search" });
      paused.pause(2000);
      await paused.enter();
      const [chat, search] = upstreamLabel ? ["chat", "search"] : ["all", "all"];
      const of = (upstream: string) => `{outbound="providers",upstream="${upstream}"}`;
      expect((await read("upstream_admitted_total"))[of(chat)]).toBe(2);
      expect((await read("upstream_in_flight"))[of(chat)]).toBe(2);
      expect((await read("upstreams_paused"))[of(search)]).toBe(1);
      expect((await read("upstreams"))[of(chat)]).toBe(upstreamLabel ? 2 : 3);
      expect((await read("upstream_pause_seconds_total"))[of(search)]).toBe(2);
      expect(await read("upstream_rejected_total")).toEqual({
        [`{outbound="providers",reason="queue_full",upstream="${chat}"}`]: 2,
        [`{outbound="providers",reason="paused",upstream="${search}"}`]: 1,
      });
      expect(await read("gate_admitted_total")).toEqual({});
    }
  });

  it("are `other` where the option answers nothing of use", async () => {
    for (const answer of ["", 5, undefined]) {
      const { metrics, read } = setUp({ upstreamLabel: () => answer as never });
      metrics.record({ type: "upstream_paused", outbound: "o", upstream: "k", waitMs: 1000 });
      expect(await read("upstream_pauses_total")).toEqual({
        '{outbound="o",upstream="other"}': 1,
      });
    }
  });
});

describe("A pool", () => {
  it("shows its saturation and what classes have used of their shares, until its window ends", async () => {
    const { ports, clock, read } = setUp();
    const limiter = createLimiter(ports);
    const pool = priorityPool({
      name: "model",
      windowMs: MINUTE_MS,
      capacity: { requests: 10 },
      shares: { gold: 0.6, bronze: 0.4 },
    });
    const descriptors = [{ kind: "model", id: "large", limits: [pool] }];
    for (let each = 0; each < 3; each += 1) await limiter.admit({ descriptors, priority: "gold" });
    await limiter.admit({ descriptors, priority: "bronze" });
    expect(await read("pool_saturation_ratio")).toEqual({
      '{kind="model",limit="model",limiter="limiter"}': 0.4,
    });
    expect(await read("pool_class_use_ratio")).toEqual({
      '{class="gold",kind="model",limit="model",limiter="limiter",unit="requests"}': 0.5,
      '{class="bronze",kind="model",limit="model",limiter="limiter",unit="requests"}': 0.25,
    });
    clock.advance(MINUTE_MS);
    expect(Object.values(await read("pool_saturation_ratio"))).toEqual([0]);
  });
});

describe("A shared store", () => {
  const failure = new StoreError("away", {
    code: "SLUICE_STORE_TIMEOUT",
    operation: "admit",
    isRetryable: false,
  });

  it("is measured, and what fails is counted by the code of the error", async () => {
    const { metrics, read } = setUp();
    const told = { type: "store_called", operation: "admit" } as const;
    metrics.record({ ...told, tookMs: 3, failed: false });
    metrics.record({ ...told, tookMs: 100, failed: true });
    metrics.record({ type: "store_failed", operation: "admit", error: failure });
    metrics.record({ type: "store_failed", operation: "admit", error: new TypeError("bug") });
    expect(await read("store_call_seconds_sum")).toEqual({
      '{limiter="limiter",operation="admit",result="answered"}': 0.003,
      '{limiter="limiter",operation="admit",result="failed"}': 0.1,
    });
    expect(await read("store_errors_total")).toEqual({
      '{code="SLUICE_STORE_TIMEOUT",limiter="limiter",operation="admit"}': 1,
      '{code="none",limiter="limiter",operation="admit"}': 1,
    });
  });

  it("that is away is shown while it is, and its time is counted once", async () => {
    const { metrics, clock, read } = setUp();
    const key = '{limiter="limiter",policy="local"}';
    const began = { type: "store_unavailable", policy: "local", operation: "admit" } as const;
    metrics.record({ ...began, error: failure });
    clock.advance(2000);
    expect(await read("store_unavailable")).toEqual({ [key]: 1 });
    expect(await read("store_unavailable_seconds_total")).toEqual({ [key]: 2 });
    clock.advance(3000);
    expect(await read("store_unavailable_seconds_total")).toEqual({ [key]: 5 });
    clock.advance(1000);
    metrics.record({ type: "store_recovered", downMs: 5500, failures: 9 });
    expect(await read("store_unavailable")).toEqual({});
    expect(await read("store_unavailable_seconds_total")).toEqual({ [key]: 5.5 });
    expect(await read("store_outages_total")).toEqual({ [key]: 1 });
  });

  it("is told apart from another one that is away for longer, under one name", async () => {
    const { metrics, clock, read } = setUp();
    const began = { type: "store_unavailable", operation: "admit", error: failure } as const;
    metrics.record({ ...began, policy: "local" });
    clock.advance(9000);
    await read("store_unavailable_seconds_total");
    metrics.record({ ...began, policy: "reject" });
    clock.advance(1500);
    await read("store_unavailable_seconds_total");
    clock.advance(1000);
    metrics.record({ type: "store_recovered", downMs: 1500, failures: 1 });
    const key = (policy: string) => `{limiter="limiter",policy="${policy}"}`;
    expect(await read("store_unavailable")).toEqual({ [key("local")]: 1 });
    metrics.record({ type: "store_recovered", downMs: 10_500, failures: 1 });
    expect(await read("store_unavailable_seconds_total")).toEqual({
      [key("local")]: 11.5,
      [key("reject")]: 1.5,
    });
    expect(await read("store_unavailable")).toEqual({});
  });

  it("shows which of its nodes are not asked", async () => {
    const { metrics, read } = setUp();
    const nodes = [
      { node: "a:1", breaker: "closed" },
      { node: "b:2", breaker: "open" },
      { node: "c:3", breaker: "half-open" },
    ];
    metrics.watch({ stores: { main: { nodes: () => nodes } } });
    metrics.record({ type: "store_node_lost", node: "b:2" });
    metrics.record({ type: "store_node_back", node: "b:2" });
    expect(await read("store_breaker_open")).toEqual({
      '{node="a:1",store="main"}': 0,
      '{node="b:2",store="main"}': 1,
      '{node="c:3",store="main"}': 1,
    });
    expect(await read("store_nodes_lost_total")).toEqual({ "": 1 });
  });
});
