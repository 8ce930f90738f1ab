import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { enterMany, permitOf, reasonOf } from "../../test/gate/ask";
import type { Random } from "../random/random";
import { createGate } from "./create-gate";

describe("Gate.drain", () => {
  it("R080 leaves nobody hanging: work goes on, waiters are refused, then it resolves", async () => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 1, queue: { max: 3 }, clock });
    const running = await permitOf(gate.enter());
    const waiters = enterMany(gate, 3);
    let isDrained = false;
    const drained = gate.drain().then(() => {
      isDrained = true;
    });
    expect(await Promise.all(waiters)).toMatchObject([
      { rejection: { reason: "draining" }, inFlight: 1, queued: 2 },
      { rejection: { reason: "draining" }, inFlight: 1, queued: 1 },
      { rejection: { reason: "draining" }, inFlight: 1, queued: 0 },
    ]);
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 0 });
    expect([isDrained, clock.isIdle]).toEqual([false, true]);
    running.end();
    await drained;
    expect(gate.stats()).toMatchObject({ inFlight: 0, rejectedByReason: { draining: 3 } });
  });

  it("resolves at once when nothing is in flight, and refuses newcomers for good", async () => {
    const gate = createGate({ maxInFlight: 5, clock: new FakeClock() });
    expect(gate.isDraining).toBe(false);
    await gate.drain();
    expect(gate.isDraining).toBe(true);
    gate.update({ maxInFlight: 10 });
    expect(await reasonOf(gate.enter())).toBe("draining");
  });

  it("is the same promise each time", async () => {
    const gate = createGate({ maxInFlight: 1, clock: new FakeClock() });
    const permit = await permitOf(gate.enter());
    const drained = gate.drain();
    expect(gate.drain()).toBe(drained);
    permit.end();
    await drained;
    expect(gate.drain()).toBe(drained);
  });

  it.each(["shadow", "off"] as const)(
    "refuses in mode %s too, else it would never end",
    async (mode) => {
      const gate = createGate({ maxInFlight: 1, mode, enforceRatio: 0, clock: new FakeClock() });
      void gate.drain();
      expect(await reasonOf(gate.enter())).toBe("draining");
      expect(gate.stats()).toMatchObject({ inFlight: 0, shadowRejected: 0 });
    },
  );
});

describe("mode shadow", () => {
  it("lets everybody in at once and counts those beyond the cap", async () => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 2, mode: "shadow", clock });
    const permits = await Promise.all(enterMany(gate, 5).map(permitOf));
    expect(gate.stats()).toEqual({
      inFlight: 5,
      queued: 0,
      admitted: 5,
      rejected: 0,
      rejectedByReason: {},
      shadowRejected: 3,
    });
    expect(clock.isIdle).toBe(true);
    for (const permit of permits) permit.end();
    await permitOf(gate.enter());
    expect(gate.stats()).toMatchObject({ inFlight: 1, shadowRejected: 3 });
  });

  it("counts a request whose time is over, and lets it in", async () => {
    const gate = createGate({ maxInFlight: 2, mode: "shadow", clock: new FakeClock() });
    expect(await reasonOf(gate.enter({ deadlineMs: 0 }))).toBe("admitted");
    expect(gate.stats()).toMatchObject({ inFlight: 1, shadowRejected: 1 });
  });

  it("still refuses a caller that has gone", async () => {
    const gate = createGate({ maxInFlight: 1, mode: "shadow", clock: new FakeClock() });
    expect(await reasonOf(gate.enter({ signal: AbortSignal.abort() }))).toBe("aborted");
  });
});

describe("a change of mode", () => {
  it.each([
    { mode: "off" as const, shadowRejected: 0 },
    { mode: "shadow" as const, shadowRejected: 3 },
  ])("to $mode starts all waiters at once", async ({ mode, shadowRejected }) => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 1, queue: { max: 3 }, clock });
    await permitOf(gate.enter());
    const waiters = enterMany(gate, 3);
    gate.update({ mode });
    expect(gate.stats()).toMatchObject({ inFlight: 4, queued: 0, shadowRejected });
    expect((await Promise.all(waiters)).every(({ admitted }) => admitted)).toBe(true);
    expect(clock.isIdle).toBe(true);
  });

  it("to enforce starts nobody until in flight is below the cap", async () => {
    const gate = createGate({ maxInFlight: 2, mode: "off", clock: new FakeClock() });
    const permits = await Promise.all(enterMany(gate, 4).map(permitOf));
    gate.update({ mode: "enforce" });
    const waiter = gate.enter();
    permits[0]?.end();
    permits[1]?.end();
    expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 1 });
    permits[2]?.end();
    expect(await reasonOf(waiter)).toBe("admitted");
    expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 0, shadowRejected: 0 });
  });
});

describe("enforceRatio", () => {
  /** Draws that are read one after the other. */
  const drawing = (...draws: number[]): Random => ({
    next: () => draws.shift() ?? Number.NaN,
    id: () => "unused",
  });

  it("enforces the drawn share of rejections and lets the others in beyond the cap", async () => {
    const random = drawing(0.29, 0.3, 0.99, 0);
    const options = { maxInFlight: 1, queue: { max: 0 }, enforceRatio: 0.3, random };
    const gate = createGate({ ...options, clock: new FakeClock() });
    await permitOf(gate.enter());
    expect(await Promise.all(enterMany(gate, 4).map(reasonOf))).toEqual([
      "queue_full",
      "admitted",
      "admitted",
      "queue_full",
    ]);
    expect(gate.stats()).toMatchObject({ inFlight: 3, rejected: 2, shadowRejected: 2 });
  });

  it("of 0 still queues, and lets in who has waited in vain", async () => {
    const clock = new FakeClock();
    const random = drawing(0, 0);
    const gate = createGate({ maxInFlight: 1, enforceRatio: 0, clock, random });
    await permitOf(gate.enter());
    const waiter = gate.enter();
    expect(gate.stats().queued).toBe(1);
    clock.advance(1000);
    expect((await permitOf(waiter)).waitedMs).toBe(1000);
    expect(gate.stats()).toMatchObject({ inFlight: 2, rejected: 0, shadowRejected: 1 });
  });

  it("of 1 draws nothing", async () => {
    const random: Random = {
      next: () => {
        throw new Error("no chance is involved");
      },
      id: () => "unused",
    };
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 1, queue: { max: 0 }, clock, random });
    await permitOf(gate.enter());
    expect(await reasonOf(gate.enter())).toBe("queue_full");
  });

  it("lets nobody in who has gone", async () => {
    const gate = createGate({ maxInFlight: 1, enforceRatio: 0, clock: new FakeClock() });
    await permitOf(gate.enter());
    const controller = new AbortController();
    const waiter = gate.enter({ signal: controller.signal });
    controller.abort();
    expect(await reasonOf(waiter)).toBe("aborted");
    expect(gate.stats()).toMatchObject({ inFlight: 1, shadowRejected: 0 });
  });
});
