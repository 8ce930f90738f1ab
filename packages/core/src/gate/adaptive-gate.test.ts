import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { enterMany, permitOf, reasonOf } from "../../test/gate/ask";
import { SettableLimit } from "../../test/settable-limit";
import type { Outcome } from "../verdict/outcome";
import { createGate } from "./create-gate";
import type { GateOptions } from "./gate-options";

function adaptiveGate(start: number, options: Partial<GateOptions> = {}) {
  const clock = new FakeClock();
  const limit = new SettableLimit(start);
  const gate = createGate({ maxInFlight: limit, clock, ...options });
  return { clock, limit, gate };
}

describe("a gate whose cap is an adaptive limit", () => {
  it("enforces what the limit says, and shows it", async () => {
    const { limit, gate } = adaptiveGate(3);
    void enterMany(gate, 5);
    expect(gate.stats()).toMatchObject({ inFlight: 3, queued: 2 });
    expect(gate.settings).toMatchObject({ maxInFlight: 3, queue: { max: 3 } });
    limit.set(7);
    expect(gate.stats()).toMatchObject({ inFlight: 5, queued: 0 });
    expect(gate.settings).toMatchObject({ maxInFlight: 7, queue: { max: 7 } });
    limit.set(2);
    expect(gate.hasRoom).toBe(false);
    expect(gate.settings).toMatchObject({ maxInFlight: 2, queue: { max: 2 } });
  });

  it("keeps the size of its queue if that was said", () => {
    const { limit, gate } = adaptiveGate(3, { queue: { max: 1 } });
    limit.set(9);
    expect(gate.settings.queue.max).toBe(1);
  });

  it("starts as many waiters as the limit rises, before the rise returns", async () => {
    const { limit, gate } = adaptiveGate(2, { queue: { max: 10 } });
    const all = enterMany(gate, 10);
    expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 8 });
    limit.set(5);
    expect(gate.stats()).toMatchObject({ inFlight: 5, queued: 5 });
    limit.set(100);
    expect(gate.stats()).toMatchObject({ inFlight: 10, queued: 0 });
    for (const verdict of all) (await permitOf(verdict)).end();
    expect(gate.stats().inFlight).toBe(0);
  });

  it("tells the limit latency from start to end, in flight at the start, and the outcome", async () => {
    const { clock, limit, gate } = adaptiveGate(2);
    const first = await permitOf(gate.enter());
    clock.advance(10);
    const second = await permitOf(gate.enter());
    const third = gate.enter();
    clock.advance(30);
    first.end("success");
    clock.advance(5);
    second.end("dropped");
    // Waited 30 ms, which are no part of its latency.
    (await permitOf(third)).end("ignored");
    expect(limit.samples).toEqual([
      { latencyMs: 40, inFlight: 1, outcome: "success" },
      { latencyMs: 35, inFlight: 2, outcome: "dropped" },
      { latencyMs: 5, inFlight: 2, outcome: "ignored" },
    ]);
  });

  it("ends the sample of a stream at its first byte, then and not at its end", async () => {
    const { clock, limit, gate } = adaptiveGate(2);
    const permit = await permitOf(gate.enter());
    clock.advance(280);
    permit.firstByte();
    const sample = { latencyMs: 280, inFlight: 1, outcome: "success" };
    expect(limit.samples).toEqual([sample]);
    clock.advance(45_000);
    permit.firstByte();
    permit.end("success");
    expect(limit.samples).toEqual([sample]);
    expect(gate.stats().inFlight).toBe(0);
  });

  it.each<{ outcome: Outcome; outcomes: Outcome[] }>([
    { outcome: "ignored", outcomes: ["success"] },
    { outcome: "dropped", outcomes: ["success", "dropped"] },
  ])("tells of a stream that ends as $outcome after its first byte: $outcomes", async (each) => {
    const { limit, gate } = adaptiveGate(2);
    const permit = await permitOf(gate.enter());
    permit.firstByte();
    permit.end(each.outcome);
    expect(limit.samples.map(({ outcome }) => outcome)).toEqual(each.outcomes);
  });

  it("gives no sample of who was refused, evicted, timed out, or left the queue", async () => {
    const classes = { low: {}, high: { rank: 1 } };
    const { clock, limit, gate } = adaptiveGate(1, { queue: { max: 1, timeoutMs: 50 }, classes });
    await permitOf(gate.enter());
    const evicted = gate.enter({ class: "low" });
    const overdue = gate.enter({ class: "high" });
    const refused = gate.enter({ class: "low" });
    clock.advance(50);
    const controller = new AbortController();
    const left = gate.enter({ signal: controller.signal });
    controller.abort();
    const reasons = await Promise.all([evicted, overdue, refused, left].map(reasonOf));
    expect(reasons).toEqual(["evicted", "queue_timeout", "queue_full", "aborted"]);
    expect(limit.samples).toEqual([]);
  });

  it("tells the limit of each that finds no room, in shadow mode too, and of nobody else", async () => {
    const { limit, gate } = adaptiveGate(1, { queue: { max: 1 } });
    await gate.enter();
    expect(limit.fullCount).toBe(0);
    void gate.enter();
    void gate.enter();
    void gate.enter({ deadlineMs: 0 });
    void gate.enter({ signal: AbortSignal.abort() });
    expect(limit.fullCount).toBe(2);
    gate.update({ mode: "shadow" });
    void gate.enter();
    expect(limit.fullCount).toBe(3);
    gate.update({ mode: "off" });
    void gate.enter();
    expect(limit.fullCount).toBe(3);
  });

  describe("a probe", () => {
    it("starts one beyond the limit, at once if nobody waits", async () => {
      const { limit, gate } = adaptiveGate(1, { queue: { max: 0 } });
      await gate.enter();
      expect(await reasonOf(gate.enter())).toBe("queue_full");
      limit.probes = 1;
      expect(await reasonOf(gate.enter())).toBe("admitted");
      expect(await reasonOf(gate.enter())).toBe("queue_full");
      expect([gate.stats().inFlight, limit.probes]).toEqual([2, 0]);
    });

    it("is the one that waits longest, not the newcomer", async () => {
      const { limit, gate } = adaptiveGate(1, { queue: { max: 3 } });
      await gate.enter();
      const oldest = gate.enter();
      limit.probes = 1;
      void gate.enter();
      expect(await reasonOf(oldest)).toBe("admitted");
      expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 1 });
    });

    it("is one at a time: those that hang do not pile up", async () => {
      const { limit, gate } = adaptiveGate(2, { queue: { max: 0 } });
      void enterMany(gate, 2);
      limit.probes = 5;
      const reasons = await Promise.all(enterMany(gate, 3).map(reasonOf));
      expect(reasons).toEqual(["admitted", "queue_full", "queue_full"]);
      expect(limit.probes).toBe(4);
    });

    it("is not spent on a waiter whose time is over", async () => {
      const clock = new FakeClock();
      const lateClock = {
        nowMs: () => clock.nowMs(),
        after: (ms: number, fn: () => void) => clock.after(ms + 100, fn),
      };
      const { limit, gate } = adaptiveGate(1, {
        queue: { timeoutMs: 50, max: 2 },
        clock: lateClock,
      });
      await gate.enter();
      const over = gate.enter();
      clock.advance(60);
      limit.probes = 1;
      const next = gate.enter();
      expect(await reasonOf(over)).toBe("queue_timeout");
      expect(await reasonOf(next)).toBe("admitted");
    });

    it("is not taken while a slot is free that is kept for another class", async () => {
      const classes = { a: { reserved: 1 }, b: {} };
      const { limit, gate } = adaptiveGate(2, { queue: { max: 0 }, classes });
      await gate.enter({ class: "b" });
      limit.probes = 1;
      expect(await reasonOf(gate.enter({ class: "b" }))).toBe("queue_full");
      expect(limit.probes).toBe(1);
    });
  });

  it("hands the cap over to a number, and back to a limit, while it runs", () => {
    const { limit, gate } = adaptiveGate(2, { queue: { max: 10 } });
    void enterMany(gate, 8);
    gate.update({ maxInFlight: 4 });
    expect([gate.stats().inFlight, limit.listenerCount]).toEqual([4, 0]);
    limit.set(50);
    expect([gate.stats().inFlight, gate.settings.maxInFlight]).toEqual([4, 4]);
    expect(gate.wantsFirstByte).toBe(false);
    const next = new SettableLimit(6);
    gate.update({ maxInFlight: next, queue: { timeoutMs: 70 } });
    expect([gate.stats().inFlight, next.listenerCount]).toEqual([6, 1]);
    gate.update({ queue: { timeoutMs: 80 } });
    expect([gate.settings.maxInFlight, next.listenerCount]).toEqual([6, 1]);
    expect(gate.wantsFirstByte).toBe(true);
  });

  it("lets go of the limit when it drains", async () => {
    const { limit, gate } = adaptiveGate(2);
    const permit = await permitOf(gate.enter());
    void gate.drain();
    expect(limit.listenerCount).toBe(0);
    permit.end();
    await gate.drain();
    gate.update({ maxInFlight: new SettableLimit(3) });
    expect(limit.listenerCount).toBe(0);
  });

  it.each([Number.NaN, 0, -5, Number.POSITIVE_INFINITY, 0.4])(
    "keeps what it had when a limit of the user's own says %d",
    (said) => {
      const { limit, gate } = adaptiveGate(3);
      limit.set(said);
      expect(gate.settings.maxInFlight).toBe(3);
      limit.set(4.9);
      expect(gate.settings.maxInFlight).toBe(4);
    },
  );

  it("loses no slot to a limit that throws", async () => {
    const limit = new SettableLimit(1);
    const fail = () => {
      throw new Error("a limit of the user's own");
    };
    Object.assign(limit, { onSample: fail, onFull: fail, takeProbe: fail });
    const gate = createGate({ maxInFlight: limit, clock: new FakeClock() });
    const first = await permitOf(gate.enter());
    const second = gate.enter();
    first.end();
    (await permitOf(second)).end();
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it("loses no wake-up to a limit that rises while it hears that there is no room", async () => {
    const limit = new SettableLimit(1);
    const gate = createGate({ maxInFlight: limit, clock: new FakeClock() });
    await gate.enter();
    limit.onFull = () => limit.set(2);
    expect(await reasonOf(gate.enter())).toBe("admitted");
    limit.onFull = () => {};
    limit.takeProbe = () => {
      limit.set(3);
      return false;
    };
    expect(await reasonOf(gate.enter())).toBe("admitted");
  });

  it("shrinks reservations with the limit instead of closing", async () => {
    const classes = { interactive: { reserved: 6 }, batch: { reserved: 3 }, rest: {} };
    const { limit, gate } = adaptiveGate(10, { queue: { max: 0 }, classes });
    for (const cap of [10, 7, 4, 2, 1]) {
      limit.set(cap);
      for (const name of ["interactive", "batch", "rest"]) {
        const permit = await permitOf(gate.enter({ class: name }));
        permit.end();
      }
    }
  });

  it.each([{}, { limit: 5 }, { ...new SettableLimit(5), onChange: 5 }])(
    "is not made of %j",
    (maxInFlight) => {
      const make = () => createGate({ maxInFlight: maxInFlight as unknown as number });
      expect(make).toThrow(/maxInFlight.*an integer of 1 or more, or an adaptive limit/s);
    },
  );
});

describe("a gate whose slots are held until the first byte", () => {
  it("hands the slot on at the first byte, and the rest of the stream holds none", async () => {
    const { clock, limit, gate } = adaptiveGate(1, { heldUntil: "first-byte" });
    expect(gate.wantsFirstByte).toBe(true);
    const stream = await permitOf(gate.enter());
    const waiting = gate.enter();
    clock.advance(280);
    stream.firstByte();
    const next = await permitOf(waiting);
    expect(next.waitedMs).toBe(280);
    expect(gate.stats().inFlight).toBe(1);
    clock.advance(45_000);
    stream.end();
    expect(gate.stats().inFlight).toBe(1);
    next.end("ignored");
    next.end();
    expect(gate.stats().inFlight).toBe(0);
    expect(limit.samples).toEqual([
      { latencyMs: 280, inFlight: 1, outcome: "success" },
      { latencyMs: 45_000, inFlight: 1, outcome: "ignored" },
    ]);
  });

  it("takes the slot back at the end if there was no first byte", async () => {
    const { gate } = adaptiveGate(1, { heldUntil: "first-byte" });
    (await permitOf(gate.enter())).end("dropped");
    expect(gate.stats().inFlight).toBe(0);
  });

  it("is drained when the last stream has ended", async () => {
    const { clock, gate } = adaptiveGate(1, { heldUntil: "first-byte" });
    const stream = await permitOf(gate.enter());
    stream.firstByte();
    let isDrained = false;
    void gate.drain().then(() => {
      isDrained = true;
    });
    await clock.advanceAsync(1);
    expect(isDrained).toBe(false);
    stream.end();
    await clock.advanceAsync(1);
    expect(isDrained).toBe(true);
  });

  it("works with a number for its cap too", async () => {
    const gate = createGate({ maxInFlight: 1, heldUntil: "first-byte", queue: { max: 0 } });
    (await permitOf(gate.enter())).firstByte();
    expect(await reasonOf(gate.enter())).toBe("admitted");
  });

  it("is one of two words", () => {
    const make = () => createGate({ maxInFlight: 1, heldUntil: "start" as "end" });
    expect(make).toThrow(/heldUntil.*one of "end", "first-byte"/s);
  });
});

describe("who hears that an adaptive gate is full", () => {
  /** Calls back when the gate tells it that there was no room. */
  class TalkingLimit extends SettableLimit {
    heard: () => void = () => {};

    override onFull(): void {
      this.heard();
    }
  }

  function talkingGate() {
    const limit = new TalkingLimit(1);
    const gate = createGate({ maxInFlight: limit, clock: new FakeClock() });
    return { limit, gate };
  }

  it("may close the gate: nobody waits there, or starts, afterwards", async () => {
    const { limit, gate } = talkingGate();
    const permit = await permitOf(gate.enter());
    limit.heard = () => void gate.drain();
    expect(await reasonOf(gate.enter())).toBe("draining");
    permit.end();
    await gate.drain();
    expect(gate.stats()).toMatchObject({ inFlight: 0, queued: 0, admitted: 1 });
  });

  it("may make the newcomer leave: it does not wait", async () => {
    const { limit, gate } = talkingGate();
    await gate.enter();
    const leaving = new AbortController();
    limit.heard = () => leaving.abort();
    expect(await reasonOf(gate.enter({ signal: leaving.signal }))).toBe("aborted");
    expect(gate.stats().queued).toBe(0);
  });

  it("is not changed for a limit that cannot be listened to", async () => {
    const { limit, gate } = adaptiveGate(1);
    const broken = new SettableLimit(9);
    broken.onChange = () => {
      throw new Error("mine");
    };
    expect(() => gate.update({ maxInFlight: broken })).toThrow("mine");
    expect([gate.settings.maxInFlight, limit.listenerCount]).toEqual([1, 1]);
    void enterMany(gate, 2);
    limit.set(2);
    expect(gate.stats()).toMatchObject({ inFlight: 2, queued: 0 });
  });
});
