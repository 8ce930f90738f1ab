import { FakeClock, realisticStartMs } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { enterMany, permitOf, reasonOf } from "../../test/gate/ask";
import { createGate } from "./create-gate";
import type { GateOptions } from "./gate-options";

interface Sizes {
  readonly cap?: number;
  readonly queue?: number;
  readonly timeoutMs?: number;
}

/** A gate of the given sizes on a fake clock, with cap 1, queue 1 and one second unless said. */
function gateOf({ cap = 1, queue = 1, timeoutMs = 1000 }: Sizes, more: Partial<GateOptions> = {}) {
  const clock = new FakeClock({ startMs: realisticStartMs });
  const queueOptions = { max: queue, timeoutMs };
  return { clock, gate: createGate({ maxInFlight: cap, queue: queueOptions, clock, ...more }) };
}

describe("createGate", () => {
  it("A1 lets one in, queues one, refuses the third with the counts of that moment", async () => {
    const { gate } = gateOf({});
    const first = await permitOf(gate.enter());
    const second = gate.enter();
    const third = await gate.enter();
    expect(third).toEqual({
      admitted: false,
      rejection: { reason: "queue_full", retryAfterMs: 1000, retryable: true, violated: [] },
      statuses: [],
      inFlight: 1,
      queued: 1,
    });
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1, rejected: 1 });
    first.end();
    (await permitOf(second)).end();
    expect(gate.stats()).toEqual({
      inFlight: 0,
      queued: 0,
      admitted: 2,
      rejected: 1,
      rejectedByReason: { queue_full: 1 },
      shadowRejected: 0,
    });
  });

  it("A2 refuses a waiter when its time-out is over, not before, and forgets it", async () => {
    const { gate, clock } = gateOf({ timeoutMs: 50 });
    await permitOf(gate.enter());
    const second = gate.enter();
    clock.advance(49);
    expect(gate.stats()).toMatchObject({ queued: 1, rejected: 0 });
    clock.advance(1);
    const verdict = await second;
    expect(verdict).toMatchObject({
      rejection: { reason: "queue_timeout" },
      inFlight: 1,
      queued: 0,
    });
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 0, rejected: 1 });
  });

  it("A3 refuses at once when nobody may wait", async () => {
    const { gate, clock } = gateOf({ queue: 0 });
    await permitOf(gate.enter());
    expect(await reasonOf(gate.enter())).toBe("queue_full");
    expect(clock.isIdle).toBe(true);
  });

  it("A5 lets everybody in when it is off, and still counts who is in flight", async () => {
    const { gate } = gateOf({ cap: 1, queue: 0 }, { mode: "off" });
    const permits = await Promise.all(enterMany(gate, 3).map(permitOf));
    expect(gate.stats()).toMatchObject({ inFlight: 3, admitted: 3, shadowRejected: 0 });
    for (const permit of permits) permit.end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, rejected: 0 });
  });

  it("A6 forgets a waiter whose signal aborts, and never gives it a slot", async () => {
    const { gate, clock } = gateOf({});
    const first = await permitOf(gate.enter());
    const controller = new AbortController();
    const second = gate.enter({ signal: controller.signal });
    controller.abort();
    expect(gate.stats().queued).toBe(0);
    expect(await reasonOf(second)).toBe("aborted");
    first.end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, admitted: 1 });
    expect(clock.isIdle).toBe(true);
  });

  it("A7 holds a slot until its end, not until its first byte", async () => {
    const { gate, clock } = gateOf({});
    const stream = await permitOf(gate.enter());
    stream.firstByte();
    const second = gate.enter();
    clock.advance(999);
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    stream.end();
    (await permitOf(second)).end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it("A8 counts refusals by reason, and comes back to zero", async () => {
    const { gate, clock } = gateOf({ timeoutMs: 50 });
    const running = await permitOf(gate.enter());
    const waiting = gate.enter();
    const third = gate.enter();
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    clock.advance(50);
    expect(await Promise.all([reasonOf(waiting), reasonOf(third)])).toEqual([
      "queue_timeout",
      "queue_full",
    ]);
    running.end();
    expect(gate.stats()).toMatchObject({
      inFlight: 0,
      queued: 0,
      rejectedByReason: { queue_full: 1, queue_timeout: 1 },
    });
  });

  it("A13 gives a freed slot to the waiter, not to who arrives in the same tick", async () => {
    const { gate } = gateOf({});
    const running = await permitOf(gate.enter());
    const waiter = gate.enter();
    running.end();
    const newcomer = gate.enter();
    expect(gate.stats()).toMatchObject({ inFlight: 1, queued: 1 });
    const permit = await permitOf(waiter);
    permit.end();
    expect(await reasonOf(newcomer)).toBe("admitted");
  });

  it("starts waiters in the order in which they came, each with its wait", async () => {
    const { gate, clock } = gateOf({ queue: 3 });
    let running = await permitOf(gate.enter());
    const waiters = enterMany(gate, 3);
    const waits: number[] = [];
    for (const waiter of waiters) {
      clock.advance(100);
      running.end();
      running = await permitOf(waiter);
      waits.push(running.waitedMs);
    }
    expect(waits).toEqual([100, 200, 300]);
  });

  it("R020 takes a slot back once, however often it is ended", async () => {
    const { gate } = gateOf({ queue: 0 });
    const permit = await permitOf(gate.enter());
    permit.end();
    permit.end("dropped");
    permit.end("ignored");
    expect(gate.stats().inFlight).toBe(0);
    expect(await Promise.all(enterMany(gate, 2).map(reasonOf))).toEqual(["admitted", "queue_full"]);
  });

  it("R056 refuses a full queue at once and a waiter at its time-out, for two reasons", async () => {
    const { gate, clock } = gateOf({ timeoutMs: 100 });
    const [running, second, third] = enterMany(gate, 3);
    expect(await third).toMatchObject({ rejection: { reason: "queue_full", retryable: true } });
    clock.advance(100);
    expect(await second).toMatchObject({ rejection: { reason: "queue_timeout", retryable: true } });
    expect((await running)?.admitted).toBe(true);
    void gate.drain();
    expect(await gate.enter()).toMatchObject({ rejection: { reason: "draining" } });
  });

  it("R061 keeps a waiter for its whole time-out when that exceeds 32 bits", async () => {
    const year = 365 * 86_400_000;
    const { gate, clock } = gateOf({ timeoutMs: year });
    await permitOf(gate.enter());
    const waiter = gate.enter();
    clock.advance(year - 1);
    expect(gate.stats().queued).toBe(1);
    clock.advance(1);
    expect(await reasonOf(waiter)).toBe("queue_timeout");
  });

  it("R062 keeps the process alive exactly as long as somebody waits", async () => {
    const { gate, clock } = gateOf({ queue: 2 });
    const running = await permitOf(gate.enter());
    expect(clock.pendingTimers).toBe(0);
    const controller = new AbortController();
    void gate.enter({ signal: controller.signal });
    void gate.enter();
    expect([clock.pendingTimers, clock.keepAliveTimers]).toEqual([2, 2]);
    controller.abort();
    running.end();
    expect(clock.isIdle).toBe(true);
  });

  it("R062 leaves no timer after 1 000 gates were made, used and drained", async () => {
    const clock = new FakeClock();
    for (let made = 0; made < 1000; made++) {
      const gate = createGate({ maxInFlight: 1, clock });
      const permit = await permitOf(gate.enter());
      const waiter = gate.enter();
      const drained = gate.drain();
      permit.end();
      await Promise.all([drained, waiter]);
    }
    expect(clock.isIdle).toBe(true);
  });

  it("R064 lets nobody wait with queue 0, also when a slot comes free right after", async () => {
    const { gate } = gateOf({ queue: 0 });
    const running = await permitOf(gate.enter());
    expect(await reasonOf(gate.enter())).toBe("queue_full");
    running.end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, admitted: 1 });
    expect(await reasonOf(gate.enter())).toBe("admitted");
  });

  it("R081 bounds the wait only: work that has started keeps its slot until it ends", async () => {
    const { gate, clock } = gateOf({ timeoutMs: 1000 });
    const running = await permitOf(gate.enter());
    const waiter = gate.enter();
    clock.advance(1000);
    expect(await reasonOf(waiter)).toBe("queue_timeout");
    expect(gate.stats().inFlight).toBe(1);
    clock.advance(1000);
    running.end();
    running.end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, admitted: 1, rejected: 1 });
  });

  it("removes its abort listener whoever ends the wait", async () => {
    const { gate, clock } = gateOf({ timeoutMs: 10 });
    let listeners = 0;
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal) as (...rest: unknown[]) => void;
    const remove = signal.removeEventListener.bind(signal) as (...rest: unknown[]) => void;
    signal.addEventListener = (...rest: unknown[]) => {
      listeners += 1;
      add(...rest);
    };
    signal.removeEventListener = (...rest: unknown[]) => {
      listeners -= 1;
      remove(...rest);
    };
    const running = await permitOf(gate.enter({ signal }));
    expect(listeners).toBe(0);
    const timedOut = gate.enter({ signal });
    expect(listeners).toBe(1);
    clock.advance(10);
    await timedOut;
    expect(listeners).toBe(0);
    const started = gate.enter({ signal });
    running.end();
    await started;
    expect(listeners).toBe(0);
  });

  it("refuses a request whose signal is aborted already, even if a slot is free", async () => {
    const { gate } = gateOf({});
    expect(await reasonOf(gate.enter({ signal: AbortSignal.abort() }))).toBe("aborted");
    expect(gate.stats()).toMatchObject({ inFlight: 0, rejectedByReason: { aborted: 1 } });
  });

  it("leaves a permit alone when the signal aborts after the request was let in", async () => {
    const { gate } = gateOf({});
    const controller = new AbortController();
    const permit = await permitOf(gate.enter({ signal: controller.signal }));
    controller.abort();
    expect(gate.stats().inFlight).toBe(1);
    permit.end();
    expect(gate.stats().inFlight).toBe(0);
  });

  it("gives the configured hint with every refusal", async () => {
    const { gate } = gateOf({ queue: 0 }, { retryAfterMs: 2500 });
    await permitOf(gate.enter());
    expect(await gate.enter()).toMatchObject({ rejection: { retryAfterMs: 2500 } });
  });
});
