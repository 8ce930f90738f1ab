import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  adaptiveLimit,
  concurrency,
  createGate,
  createLimiter,
  fixedWindow,
  type Gate,
  type Limit,
} from "@sluice/core";
import { type AdmissionEvent, createAdmissionLog } from "@sluice/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, clientOf } from "./admission-events/client";
import { type Setting, type Started, servers } from "./admission-events/servers";
import { expectWellFormed } from "./admission-events/well-formed";

/** Waits for what comes from sockets, and fails if it does not within five seconds. */
async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2500) throw new Error(`waited in vain until ${what}`);
    await pause(2);
  }
}

describe.each(servers)("The admission events of %s on %s", (_name, protocol, startServer) => {
  let events: AdmissionEvent[];
  let server: Started | undefined;
  let client: Client;
  /** Lets answers that were asked for go out. */
  let finish: () => void;
  let finished: Promise<void>;

  beforeEach(() => {
    events = [];
    finished = new Promise((resolve) => (finish = resolve));
  });

  afterEach(async () => {
    client.close();
    await server?.close();
    for (const event of events) expectWellFormed(event);
  });

  const hello = async () => "hello";
  const helloAtLast = () => finished.then(hello);

  async function start(setting: Omit<Setting, "admissionEvents">, log: object = {}): Promise<void> {
    const admissionEvents = createAdmissionLog<unknown>({
      sink: (event) => void events.push(event),
      controllerVersion: "1.2.3",
      allow: { limitName: ["window", "slots", "wide"], kind: ["api_key"] },
      ...log,
    });
    server = await startServer({ ...setting, admissionEvents });
    client = clientOf(protocol, server.port);
  }

  function limitsOf(limits: readonly Limit[], limiter = createLimiter()) {
    const descriptors = [{ kind: "api_key", id: "secret", limits }];
    return { limiter, policy: () => ({ descriptors }) };
  }

  async function eventsOf(count: number): Promise<readonly AdmissionEvent[]> {
    await until(`there are ${count} events`, () => events.length >= count);
    expect(events).toHaveLength(count);
    return events;
  }

  const oneInFlight = (gate: Gate) => until("one is in flight", () => gate.stats().inFlight === 1);
  const oneWaits = (gate: Gate) => until("one waits", () => gate.stats().queued === 1);

  it("name the limit that refuses, the window, and when to come again", async () => {
    const slots = concurrency({ name: "slots", max: 5, leaseMs: 60_000 });
    const window = fixedWindow({ name: "window", max: 1, windowMs: 60_000 });
    await start({ limits: limitsOf([slots, window]), answer: hello });
    expect([await client.get(), await client.get()]).toEqual([200, 429]);
    const [admitted, rejected] = await eventsOf(2);
    const common = { mechanism: "limits", kind: "api_key", limitName: "window", limit: 1 };
    expect(admitted).toMatchObject({ ...common, decision: "admitted", outcome: "success" });
    expect(admitted).toMatchObject({ windowMs: 60_000, httpStatus: 200, complete: true });
    expect(rejected).toMatchObject({ ...common, decision: "rejected", httpStatus: 429 });
    expect(rejected).toMatchObject({ reason: "window_exhausted", retryable: true });
    expect(rejected?.retryAfterMs).toBeGreaterThan(50_000);
    expect(rejected).not.toHaveProperty("outcome");
  });

  it("name the limit that gives the reason when several refuse", async () => {
    const slots = concurrency({ name: "slots", max: 1, leaseMs: 60_000 });
    const window = fixedWindow({ name: "window", max: 1, windowMs: 60_000 });
    await start({ limits: limitsOf([slots, window]), answer: helloAtLast });
    const first = client.get();
    await pause(50);
    expect(await client.get()).toBe(429);
    finish();
    await first;
    const [rejected] = await eventsOf(2);
    expect(rejected).toMatchObject({ reason: "window_exhausted", limitName: "window" });
  });

  it("say why limits in shadow would have refused, and which", async () => {
    const limits = [
      fixedWindow({ name: "wide", max: 2, windowMs: 60_000 }),
      concurrency({ name: "slots", max: 1, leaseMs: 60_000, mode: "shadow" }),
    ];
    await start({ limits: limitsOf(limits), answer: helloAtLast });
    const first = client.get();
    await pause(50);
    const second = client.get();
    await pause(50);
    finish();
    expect(await Promise.all([first, second])).toEqual([200, 200]);
    const shadow = (await eventsOf(2)).filter(({ decision }) => decision === "shadow");
    expect(shadow).toMatchObject([
      { reason: "concurrency_exhausted", limitName: "slots", limit: 1, outcome: "success" },
    ]);
    expect(shadow[0]).not.toHaveProperty("retryable");
  });

  it("say that the store was away, and nothing of limits", async () => {
    const limiter = createLimiter();
    const limits = limitsOf([fixedWindow({ max: 1, windowMs: 60_000 })], limiter);
    await start({ limits, answer: hello });
    await limiter.close();
    expect(await client.get()).toBe(503);
    const [event] = await eventsOf(1);
    expect(event).toMatchObject({ decision: "rejected", reason: "store_unavailable" });
    expect(event).toMatchObject({ retryable: true, httpStatus: 503 });
    expect(event).not.toHaveProperty("limit");
  });

  it("of a gate say who was in flight, who waited, and for how long", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 60 } });
    await start({ gate, answer: helloAtLast });
    const first = client.get();
    await oneInFlight(gate);
    const second = client.get();
    await oneWaits(gate);
    expect([await client.get(), await second]).toEqual([503, 503]);
    gate.update({ queue: { max: 1, timeoutMs: 10_000 } });
    const third = client.get();
    await oneWaits(gate);
    await pause(20);
    finish();
    expect(await Promise.all([first, third])).toEqual([200, 200]);
    const [full, late, ...admitted] = await eventsOf(4);
    const counts = { mechanism: "gate", limit: 1, inFlight: 1 };
    expect(full).toMatchObject({ ...counts, reason: "queue_full", queueDepth: 1 });
    expect(full?.queueWaitMs).toBeLessThan(50);
    expect(late).toMatchObject({ ...counts, reason: "queue_timeout", queueDepth: 0 });
    expect(late?.queueWaitMs).toBeGreaterThanOrEqual(59);
    for (const each of admitted) {
      expect(each).toMatchObject({ ...counts, decision: "admitted", sampleBoundary: "end" });
      expect(each).not.toHaveProperty("reason");
      expect(each).not.toHaveProperty("baselineMs");
    }
    const waits = admitted.map(({ queueWaitMs }) => queueWaitMs ?? -1).sort((a, b) => a - b);
    expect(waits[0]).toBe(0);
    expect(waits[1]).toBeGreaterThanOrEqual(18);
  });

  it("of a gate with an adaptive limit have a sample to the first byte", async () => {
    const limit = adaptiveLimit({ name: "door" });
    const gate = createGate({ maxInFlight: limit, heldUntil: "first-byte" });
    const adaptive = { limit: limit.limit, onSample: () => {}, baselineMs: 12 };
    const answer = async () =>
      Readable.from(
        (async function* () {
          await pause(30);
          yield "first";
          await pause(80);
          yield "last";
        })(),
      );
    await start({ gate, answer }, { adaptiveLimit: adaptive });
    expect(await client.get()).toBe(200);
    const [event] = await eventsOf(1);
    expect(event).toMatchObject({ sampleBoundary: "first_byte", baselineMs: 12 });
    const { sampleMs = 0, heldMs = 0 } = event ?? {};
    expect(sampleMs).toBeGreaterThanOrEqual(28);
    expect(heldMs - sampleMs).toBeGreaterThanOrEqual(75);
  });

  it("of those who leave say so, and no status that nobody was sent", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 5000 } });
    await start({ gate, answer: helloAtLast });
    const first = client.open();
    await oneInFlight(gate);
    const second = client.open();
    await oneWaits(gate);
    second.leave();
    await eventsOf(1);
    first.leave();
    const [waited, served] = await eventsOf(2);
    expect(waited).toMatchObject({ decision: "rejected", reason: "aborted", complete: false });
    expect(served).toMatchObject({ decision: "admitted", outcome: "ignored", complete: false });
    for (const event of events) expect(event).not.toHaveProperty("httpStatus");
    expect(served).not.toHaveProperty("sampleMs");
  });

  it("of a gate that drains, or is in shadow, say so", async () => {
    const gate = createGate({ maxInFlight: 1, mode: "shadow" });
    const held = await gate.enter();
    await start({ gate, answer: hello });
    expect(await client.get()).toBe(200);
    if (held.admitted) held.permit.end();
    void gate.drain();
    expect(await client.get()).toBe(503);
    expect(await eventsOf(2)).toMatchObject([
      { decision: "shadow", reason: "queue_full", inFlight: 2, limit: 1, outcome: "success" },
      { decision: "rejected", reason: "draining", inFlight: 0, httpStatus: 503 },
    ]);
  });
});
