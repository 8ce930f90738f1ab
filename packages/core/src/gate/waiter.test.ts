import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { permitOf, reasonOf } from "../../test/gate/ask";
import type { Clock } from "../clock/clock";
import { createGate } from "./create-gate";
import type { Gate } from "./gate";

/** A gate of which it is known that requests hold their slot for `meanHoldMs`. */
async function gateThatKnows(meanHoldMs: number, { cap = 1, timeoutMs = 1000 } = {}) {
  const clock = new FakeClock();
  const gate = createGate({ maxInFlight: cap, queue: { max: 10, timeoutMs }, clock });
  const permit = await permitOf(gate.enter());
  clock.advance(meanHoldMs);
  permit.end();
  const running = await Promise.all(Array.from({ length: cap }, () => permitOf(gate.enter())));
  return { clock, gate, running };
}

describe("a deadline", () => {
  it("that leaves any time at all lets a request in if a slot is free, however long work takes", async () => {
    const { gate, running } = await gateThatKnows(60_000);
    running[0]?.end();
    expect(await reasonOf(gate.enter({ deadlineMs: 0.001 }))).toBe("admitted");
  });

  it.each([0, -1, Number.NEGATIVE_INFINITY])(
    "of %d is over: refused beside a free slot",
    async (deadlineMs) => {
      const gate = createGate({ maxInFlight: 1, clock: new FakeClock() });
      expect(await reasonOf(gate.enter({ deadlineMs }))).toBe("deadline_unreachable");
      expect(gate.stats()).toMatchObject({
        inFlight: 0,
        rejectedByReason: { deadline_unreachable: 1 },
      });
    },
  );

  it("that is over is said before the queue is looked at", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 0 }, clock: new FakeClock() });
    await permitOf(gate.enter());
    expect(await reasonOf(gate.enter({ deadlineMs: 0 }))).toBe("deadline_unreachable");
    expect(await reasonOf(gate.enter({ deadlineMs: 1 }))).toBe("queue_full");
  });

  it("ends a wait that the time-out would have allowed", async () => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 1, clock });
    await permitOf(gate.enter());
    const waiter = gate.enter({ deadlineMs: 300 });
    clock.advance(299);
    expect(gate.stats().queued).toBe(1);
    clock.advance(1);
    expect(await reasonOf(waiter)).toBe("deadline_unreachable");
  });

  it.each([1000, 1001, Number.POSITIVE_INFINITY])(
    "of %d does not lengthen a time-out of 1000",
    async (deadlineMs) => {
      const clock = new FakeClock();
      const gate = createGate({ maxInFlight: 1, clock });
      await permitOf(gate.enter());
      const waiter = gate.enter({ deadlineMs });
      clock.advance(1000);
      expect(await reasonOf(waiter)).toBe("queue_timeout");
    },
  );

  it("is not tested against a guess before the first hold has ended", async () => {
    const gate = createGate({ maxInFlight: 1, clock: new FakeClock() });
    await permitOf(gate.enter());
    void gate.enter({ deadlineMs: 1 });
    expect(gate.stats().queued).toBe(1);
  });
});

describe("a predicted wait (place x mean hold / cap)", () => {
  it("refuses at once who would wait beyond its deadline, and lets wait who would not", async () => {
    const { gate } = await gateThatKnows(400, { cap: 2, timeoutMs: 5000 });
    expect(await reasonOf(gate.enter({ deadlineMs: 199 }))).toBe("deadline_unreachable");
    void gate.enter({ deadlineMs: 200 });
    expect(gate.stats().queued).toBe(1);
    expect(await reasonOf(gate.enter({ deadlineMs: 399 }))).toBe("deadline_unreachable");
    void gate.enter({ deadlineMs: 400 });
    expect(gate.stats().queued).toBe(2);
  });

  it("counts against the time-out too: waiting for it would be in vain", async () => {
    const { gate } = await gateThatKnows(600, { timeoutMs: 1000 });
    void gate.enter();
    expect(gate.stats().queued).toBe(1);
    expect(await reasonOf(gate.enter())).toBe("deadline_unreachable");
  });

  it("is judged with the cap of the moment", async () => {
    const { gate } = await gateThatKnows(400, { cap: 2 });
    gate.update({ maxInFlight: 1 });
    expect(await reasonOf(gate.enter({ deadlineMs: 399 }))).toBe("deadline_unreachable");
    void gate.enter({ deadlineMs: 400 });
    expect(gate.stats().queued).toBe(1);
  });
});

describe("a waiter whose turn comes late", () => {
  /** Timers 500 ms late, as after a stalled turn of the event loop. */
  function stalledGate(): { clock: FakeClock; gate: Gate } {
    const clock = new FakeClock();
    const late: Clock = {
      nowMs: () => clock.nowMs(),
      after: (delayMs, fn, options) => clock.after(delayMs + 500, fn, options),
    };
    return { clock, gate: createGate({ maxInFlight: 1, queue: { max: 5 }, clock: late }) };
  }

  it.each([
    { deadlineMs: 300, atMs: 299, reason: "admitted" },
    { deadlineMs: 300, atMs: 300, reason: "deadline_unreachable" },
    { deadlineMs: 5000, atMs: 999, reason: "admitted" },
    { deadlineMs: 5000, atMs: 1000, reason: "queue_timeout" },
    { deadlineMs: 700, atMs: 1100, reason: "deadline_unreachable" },
  ])("with $deadlineMs ms left is $reason at $atMs ms", async ({ deadlineMs, atMs, reason }) => {
    const { clock, gate } = stalledGate();
    const running = await permitOf(gate.enter());
    const waiter = gate.enter({ deadlineMs });
    clock.advance(atMs);
    running.end();
    expect(await reasonOf(waiter)).toBe(reason);
  });

  it("passes its turn on at once if its time is over", async () => {
    const { clock, gate } = stalledGate();
    const running = await permitOf(gate.enter());
    const over = gate.enter({ deadlineMs: 100 });
    const next = gate.enter();
    clock.advance(200);
    running.end();
    expect(await reasonOf(over)).toBe("deadline_unreachable");
    expect((await permitOf(next)).waitedMs).toBe(200);
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 0 });
  });
});
