import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { enterMany, permitOf } from "../../test/gate/ask";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { createGate } from "./create-gate";
import type { GateUpdate } from "./gate";

describe("Gate.update", () => {
  it("R067b lets nobody in after lowering until enough has ended, and wakes waiters on raising", async () => {
    const gate = createGate({ maxInFlight: 10, clock: new FakeClock() });
    const running = await Promise.all(enterMany(gate, 10).map(permitOf));
    const waiters = enterMany(gate, 3);
    gate.update({ maxInFlight: 4 });
    for (const permit of running.slice(0, 6)) permit.end();
    expect(gate.stats()).toMatchObject({ inFlight: 4, queued: 3 });
    running[6]?.end();
    expect(gate.stats()).toMatchObject({ inFlight: 4, queued: 2 });
    gate.update({ maxInFlight: 20 });
    expect(gate.stats()).toMatchObject({ inFlight: 6, queued: 0 });
    for (const permit of [...running, ...(await Promise.all(waiters.map(permitOf)))]) permit.end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, admitted: 13 });
    await Promise.all(enterMany(gate, 20).map(permitOf));
    expect(gate.stats().inFlight).toBe(20);
  });

  it("starts as many waiters as the raised cap has room for, in order", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 4 }, clock: new FakeClock() });
    await permitOf(gate.enter());
    const started: number[] = [];
    for (const [index, waiter] of enterMany(gate, 4).entries()) {
      void waiter.then(({ admitted }) => admitted && started.push(index));
    }
    gate.update({ maxInFlight: 3 });
    expect(gate.stats()).toMatchObject({ inFlight: 3, queued: 2 });
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
  });

  it("R067 changes nothing when it is given the settings in force", async () => {
    const gate = createGate({ maxInFlight: 1, clock: new FakeClock() });
    await permitOf(gate.enter());
    void gate.enter();
    const before = { settings: gate.settings, stats: gate.stats() };
    for (let times = 0; times < 10; times++) gate.update(gate.settings);
    gate.update({});
    expect({ settings: gate.settings, stats: gate.stats() }).toEqual(before);
  });

  it("lets the size of the queue follow the cap until it is said", () => {
    const gate = createGate({ maxInFlight: 2, clock: new FakeClock() });
    gate.update({ maxInFlight: 5 });
    expect(gate.settings.queue.max).toBe(5);
    gate.update({ queue: { timeoutMs: 20 } });
    gate.update({ maxInFlight: 6 });
    expect(gate.settings.queue).toEqual({ max: 6, timeoutMs: 20 });
    gate.update({ queue: { max: 3 } });
    gate.update({ maxInFlight: 7 });
    expect(gate.settings.queue).toEqual({ max: 3, timeoutMs: 20 });
  });

  it("keeps who waits already when the queue becomes smaller, and refuses newcomers", async () => {
    const gate = createGate({ maxInFlight: 1, queue: { max: 3 }, clock: new FakeClock() });
    const running = await permitOf(gate.enter());
    const [first] = enterMany(gate, 2);
    gate.update({ queue: { max: 1 } });
    expect(gate.stats().queued).toBe(2);
    expect(await gate.enter()).toMatchObject({ rejection: { reason: "queue_full" }, queued: 2 });
    running.end();
    expect((await first)?.admitted).toBe(true);
  });

  it("applies a new time-out to those who come, not to those who wait", async () => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 1, queue: { max: 2, timeoutMs: 100 }, clock });
    await permitOf(gate.enter());
    const before = gate.enter();
    gate.update({ queue: { timeoutMs: 10 } });
    const after = gate.enter();
    clock.advance(10);
    expect(await after).toMatchObject({ rejection: { reason: "queue_timeout" } });
    expect(gate.stats().queued).toBe(1);
    clock.advance(90);
    expect(await before).toMatchObject({ rejection: { reason: "queue_timeout" } });
  });

  it.each([
    { update: { maxInFlight: 0 }, paths: ["maxInFlight"] },
    { update: { maxInFlight: Number.NaN }, paths: ["maxInFlight"] },
    { update: { maxInFlight: "8" }, paths: ["maxInFlight"] },
    { update: { maxInFlight: 5, enforceRatio: 1.1 }, paths: ["enforceRatio"] },
    { update: { mode: "off", queue: { max: -1 } }, paths: ["queue.max"] },
    { update: { maxInFlight: 5, queue: { max: 2, timeoutMs: 0 } }, paths: ["queue.timeoutMs"] },
    { update: { maxInFlight: 5, retryAfterMs: 5 }, paths: ["retryAfterMs"] },
    { update: { mode: "on", queue: 5, name: "x" }, paths: ["name", "queue", "mode"] },
    { update: null, paths: ["options"] },
  ])("R065 refuses $update as a whole and changes nothing", ({ update, paths }) => {
    const gate = createGate({ maxInFlight: 2, clock: new FakeClock() });
    const before = gate.settings;
    let problems: readonly string[] = [];
    try {
      gate.update(update as GateUpdate);
    } catch (error) {
      if (error instanceof InvalidOptionsError) problems = error.problems.map(({ path }) => path);
    }
    expect(problems).toEqual(paths);
    expect(gate.settings).toBe(before);
  });

  it("lets nobody change the settings in force by hand", () => {
    const gate = createGate({ maxInFlight: 2, clock: new FakeClock() });
    expect(Object.isFrozen(gate.settings) && Object.isFrozen(gate.settings.queue)).toBe(true);
  });
});
