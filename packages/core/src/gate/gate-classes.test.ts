import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { permitOf, reasonOf } from "../../test/gate/ask";
import type { SluiceEvent } from "../event/event";
import { createGate } from "./create-gate";
import type { EnterOptions, Gate, GatePermit } from "./gate";
import type { GateOptions } from "./gate-options";

/** A gate, and who started in which order. Their permits end when the test says so. */
function stage(options: GateOptions) {
  const clock = new FakeClock();
  const gate = createGate({ clock, ...options });
  const started: string[] = [];
  const permits: GatePermit[] = [];
  const enter = (name: string, given: EnterOptions) => {
    void gate.enter(given).then((verdict) => {
      if (!verdict.admitted) return;
      started.push(name);
      permits.push(verdict.permit);
    });
  };
  /** Ends the `count` that run longest, and lets those that follow begin. */
  const end = async (count: number) => {
    for (const permit of permits.splice(0, count)) permit.end();
    await clock.advanceAsync(0);
  };
  return { clock, gate, started, permits, enter, end };
}

const times = (count: number, act: (index: number) => void) => {
  for (let index = 0; index < count; index++) act(index);
};

describe("the weights of classes", () => {
  const classes = { a: { weight: 0.75 }, b: { weight: 0.25 } };

  it("start 3 + 1 first of 4 + 4 that wait for 8 slots", async () => {
    const { gate, started, enter, end } = stage({ maxInFlight: 8, queue: { max: 8 }, classes });
    times(8, () => enter("first", { class: "a" }));
    times(4, () => enter("a", { class: "a" }));
    times(4, () => enter("b", { class: "b" }));
    await end(0);
    expect(gate.stats()).toMatchObject({ inFlight: 8, queued: 8 });
    await end(4);
    expect(started.slice(8).sort()).toEqual(["a", "a", "a", "b"]);
    await end(4);
    expect(started.slice(12).sort()).toEqual(["a", "b", "b", "b"]);
  });

  it("do not hold a slot free for a class that does not come", async () => {
    const { gate, enter, end } = stage({ maxInFlight: 8, classes });
    times(8, () => enter("b", { class: "b" }));
    await end(0);
    expect(gate.stats()).toMatchObject({ inFlight: 8, queued: 0 });
  });

  it("can be changed while requests wait", async () => {
    const { gate, started, enter, end } = stage({ maxInFlight: 1, queue: { max: 80 }, classes });
    enter("first", { class: "a" });
    times(40, () => enter("a", { class: "a" }));
    times(40, () => enter("b", { class: "b" }));
    gate.update({ classes: { a: { weight: 0.1 }, b: { weight: 0.4 } } });
    await end(0);
    for (let turn = 0; turn < 20; turn++) await end(1);
    expect(started.slice(1).filter((name) => name === "b")).toHaveLength(16);
  });
});

describe("a fairness key", () => {
  it("lets 1 of B that waits behind 1 000 of A start within 2 job times", async () => {
    const queue = { max: 1001, timeoutMs: 1_000_000 };
    const { clock, started, enter, end } = stage({ maxInFlight: 1, queue });
    enter("A", { fairnessKey: "A" });
    times(1000, () => enter("A", { fairnessKey: "A" }));
    enter("B", { fairnessKey: "B" });
    await end(0);
    const jobMs = 100;
    for (let job = 0; job < 2; job++) {
      await clock.advanceAsync(jobMs);
      await end(1);
    }
    expect(started).toContain("B");
  });

  it("does not refuse B for a wait that only A will have", async () => {
    const queue = { max: 2000, timeoutMs: 1000 };
    const { clock, gate, started, enter, end } = stage({ maxInFlight: 1, queue });
    enter("A", { fairnessKey: "A" });
    await clock.advanceAsync(100);
    await end(1);
    expect(gate.stats().inFlight).toBe(0);
    // Holds of 100 ms are known now: the eleventh place waits longer than a second.
    enter("A", { fairnessKey: "A" });
    times(1000, () => enter("A", { fairnessKey: "A" }));
    enter("B", { fairnessKey: "B" });
    await end(0);
    await end(1);
    expect(gate.stats().rejectedByReason).toEqual({ deadline_unreachable: 990 });
    await end(1);
    expect(started).toContain("B");
  });

  it("has a place in a queue that another one fills, and not more than that one", async () => {
    const { clock, gate, started, enter, end } = stage({ maxInFlight: 1, queue: { max: 4 } });
    enter("first", { fairnessKey: "A" });
    times(5, (index) => enter(`A${index}`, { fairnessKey: "A" }));
    times(3, (index) => enter(`B${index}`, { fairnessKey: "B" }));
    await clock.advanceAsync(0);
    expect(gate.stats().rejectedByReason).toEqual({ queue_full: 2, evicted: 2 });
    for (let turn = 0; turn < 5; turn++) await end(1);
    expect(started).toEqual(["first", "A0", "B0", "A1", "B1"]);
  });

  it("keeps small callers served beside a large one (4.4.8: 150, 50 and 10 rps)", async () => {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 12, queue: { max: 10 }, clock });
    const random = seededRandom(1);
    const served = new Map<string, number>();
    const asked = new Map<string, number>();
    const count = (of: Map<string, number>, key: string) => of.set(key, (of.get(key) ?? 0) + 1);
    const come = (fairnessKey: string, perSecond: number) => {
      count(asked, fairnessKey);
      void gate.enter({ fairnessKey }).then((verdict) => {
        if (!verdict.admitted) return;
        count(served, fairnessKey);
        clock.after(100, () => verdict.permit.end());
      });
      const gapMs = (-1000 * Math.log(1 - random.next())) / perSecond;
      if (clock.nowMs() < 30_000) clock.after(gapMs, () => come(fairnessKey, perSecond));
    };
    const perSecond = { large: 150, medium: 50, small: 10 };
    for (const [key, rate] of Object.entries(perSecond)) come(key, rate);
    await clock.runUntilIdle();
    const shareOf = (key: string) => (served.get(key) ?? 0) / (asked.get(key) ?? 0);
    expect(shareOf("small")).toBeGreaterThanOrEqual(0.99);
    // 50 of the 55 a second that are its part: chance fills its half of the queue now and then.
    expect(shareOf("medium")).toBeGreaterThan(0.9);
    // What is left of 120 a second.
    expect(shareOf("large")).toBeGreaterThan(0.35);
  });
});

describe("reserved slots", () => {
  const classes = { interactive: { reserved: 2 }, batch: {} };

  it("stay free under a flood of batch calls of 60 s", async () => {
    const queue = { max: 50, timeoutMs: 1000 };
    const { clock, gate, started, enter } = stage({ maxInFlight: 10, queue, classes });
    let waits = 0;
    for (let second = 0; second < 60; second++) {
      times(20, () => enter("batch", { class: "batch" }));
      await clock.advanceAsync(500);
      expect(gate.stats().classes?.batch?.inFlight).toBe(8);
      const interactive = await permitOf(gate.enter({ class: "interactive" }));
      waits += interactive.waitedMs;
      await clock.advanceAsync(500);
      interactive.end();
    }
    expect(waits).toBe(0);
    expect(started).toHaveLength(8);
  });

  it("are for nobody else, and what is beyond them for everybody", async () => {
    const { gate, enter, end } = stage({ maxInFlight: 10, queue: { max: 0 }, classes });
    times(10, () => enter("interactive", { class: "interactive" }));
    await end(0);
    expect(gate.stats()).toMatchObject({ inFlight: 10 });
    // Of ten that end, two places belong to the class again.
    await end(10);
    times(10, () => enter("batch", { class: "batch" }));
    await end(0);
    expect(gate.stats().classes).toMatchObject({ batch: { inFlight: 8, rejected: 2 } });
  });

  it("do not let a blocked head hold up another class", async () => {
    const queue = { max: 10 };
    const { gate, started, permits, enter, end } = stage({ maxInFlight: 3, queue, classes });
    enter("batch", { class: "batch" });
    times(2, () => enter("interactive", { class: "interactive" }));
    times(3, () => enter("batch", { class: "batch" }));
    times(3, () => enter("interactive", { class: "interactive" }));
    await end(0);
    expect(started).toEqual(["batch", "interactive", "interactive"]);
    // The slots of interactive come free. Batch waits longer, but may not have them.
    for (const permit of permits.splice(1, 2)) permit.end();
    await end(0);
    expect(started.slice(3)).toEqual(["interactive", "interactive"]);
    expect(gate.stats().queued).toBe(4);
    await end(1);
    expect(started.slice(5)).toEqual(["batch"]);
  });

  it("are refused if they would shut a class out of an idle gate", () => {
    const make = (maxInFlight: number) => () =>
      createGate({ maxInFlight, classes: { a: { reserved: 3 }, b: { reserved: 2 }, c: {} } });
    expect(make(5)).toThrow(
      /reserved slots that fit in 5 and leave one for each class without, received 5/,
    );
    expect(make(6)).not.toThrow();
    const gate = make(6)();
    expect(() => gate.update({ maxInFlight: 5 })).toThrow(/leave one for each class/);
    expect(() => gate.update({ classes: { c: { reserved: 1 } } })).not.toThrow();
    expect(gate.settings.maxInFlight).toBe(6);
  });
});

describe("the rank of classes", () => {
  const classes = { low: { rank: 0 }, high: { rank: 1 } };

  it("lets a high arrival evict the newest lowest waiter of a full queue", async () => {
    const { gate, enter } = stage({ maxInFlight: 1, queue: { max: 2 }, classes });
    enter("first", { class: "low" });
    const older = gate.enter({ class: "low" });
    const newer = gate.enter({ class: "low" });
    const high = gate.enter({ class: "high" });
    const verdict = await newer;
    expect(verdict).toMatchObject({
      rejection: { reason: "evicted", retryAfterMs: 1000, retryable: true },
      inFlight: 1,
      queued: 2,
    });
    // Nobody of its own rank or of a higher one gives way.
    const alsoHigh = gate.enter({ class: "high" });
    expect(await reasonOf(older)).toBe("evicted");
    expect(await reasonOf(gate.enter({ class: "high" }))).toBe("queue_full");
    expect(await reasonOf(gate.enter({ class: "low" }))).toBe("queue_full");
    expect(gate.stats().classes).toMatchObject({
      low: { queued: 0, rejectedByReason: { evicted: 2, queue_full: 1 } },
      high: { queued: 2, rejectedByReason: { queue_full: 1 } },
    });
    void high;
    void alsoHigh;
  });

  it("evicts nobody for a newcomer that is refused anyway", async () => {
    const { clock, gate, enter, end } = stage({ maxInFlight: 1, queue: { max: 1 }, classes });
    enter("first", { class: "low" });
    await clock.advanceAsync(600);
    await end(1);
    enter("second", { class: "high" });
    // The holds of low are known, those of high are not: nothing is predicted, and low waits.
    enter("low", { class: "low" });
    await clock.advanceAsync(600);
    await end(1);
    enter("waiting", { class: "low" });
    const verdict = gate.enter({ class: "high", deadlineMs: 10 });
    expect(await reasonOf(verdict)).toBe("deadline_unreachable");
    expect(gate.stats().queued).toBe(1);
  });

  it("R070 starts one high that comes behind 1 000 low next, and equal ranks in order", async () => {
    for (const weights of [{}, { weight: 1 }]) {
      const { started, enter, end } = stage({
        maxInFlight: 1,
        queue: { max: 1001 },
        classes: { low: { rank: 0, ...weights }, high: { rank: 1, ...weights } },
      });
      times(1000, (index) => enter(`low ${index}`, { class: "low" }));
      enter("high", { class: "high" });
      await end(0);
      await end(1);
      await end(1);
      await end(1);
      expect(started).toEqual(["low 0", "high", "low 1", "low 2"]);
    }
  });

  it("R070 refuses low by its time-out under high load, or serves it by its weight", async () => {
    const lowAfter = async (weights: Partial<Record<"low" | "high", { weight: number }>>) => {
      const { clock, gate, enter, end } = stage({
        maxInFlight: 1,
        queue: { max: 10, timeoutMs: 1000 },
        classes: { low: { rank: 0, ...weights.low }, high: { rank: 1, ...weights.high } },
      });
      times(2, () => enter("high", { class: "high" }));
      const low = gate.enter({ class: "low" });
      for (let ms = 0; ms < 1000; ms += 10) {
        await clock.advanceAsync(10);
        enter("high", { class: "high" });
        await end(1);
      }
      return reasonOf(low);
    };
    expect(await lowAfter({})).toBe("queue_timeout");
    expect(await lowAfter({ low: { weight: 1 }, high: { weight: 9 } })).toBe("admitted");
  });

  it.each([
    { arrivals: "even", queueMax: 12, seed: undefined },
    { arrivals: "even", queueMax: 24, seed: undefined },
    { arrivals: "at random", queueMax: 12, seed: 1 },
    { arrivals: "at random", queueMax: 12, seed: 2 },
  ])(
    "serves high, two ranks at 100 rps of 100 ms on 12 slots ($arrivals, queue $queueMax, $seed)",
    async ({ queueMax, seed }) => {
      const high = await loadOf({ queueMax, seed });
      expect(high.high.share).toBeGreaterThanOrEqual(0.99);
      expect(high.low.rejected / (high.low.rejected + high.high.rejected)).toBeGreaterThan(0.98);
      expect(high.low.share).toBeGreaterThan(0.15);
    },
  );

  /** 20 seconds of both classes; what became of each. */
  async function loadOf({ queueMax, seed }: { queueMax: number; seed: number | undefined }) {
    const clock = new FakeClock();
    const gate = createGate({ maxInFlight: 12, queue: { max: queueMax }, classes, clock });
    const random = seededRandom(seed ?? 0);
    const arrive = (name: "low" | "high") => {
      void gate.enter({ class: name }).then((verdict) => {
        if (verdict.admitted) clock.after(100, () => verdict.permit.end());
      });
      const gapMs = seed === undefined ? 10 : -10 * Math.log(1 - random.next());
      if (clock.nowMs() < 20_000) clock.after(gapMs, () => arrive(name));
    };
    arrive("low");
    arrive("high");
    await clock.runUntilIdle();
    const of = (name: "low" | "high") => {
      const { admitted = 0, rejected = 0 } = gate.stats().classes?.[name] ?? {};
      return { share: admitted / (admitted + rejected), rejected };
    };
    return { low: of("low"), high: of("high") };
  }
});

describe("classes", () => {
  const classes = { interactive: {}, batch: {} };

  it("are the first one for who says none, or the default class", async () => {
    const gate: Gate = createGate({ maxInFlight: 5, classes });
    await gate.enter();
    expect(gate.stats().classes).toMatchObject({ interactive: { inFlight: 1 } });
    const other = createGate({ maxInFlight: 5, classes, defaultClass: "batch" });
    await other.enter({ class: "interactive" });
    await other.enter();
    expect(other.stats()).toMatchObject({
      inFlight: 2,
      admitted: 2,
      classes: { interactive: { admitted: 1 }, batch: { admitted: 1 } },
    });
  });

  it.each(["Batch", "", "constructor", 5, null])(
    "refuse the unknown %j, naming all",
    async (name) => {
      const gate = createGate({ maxInFlight: 1, classes });
      const entered = gate.enter({ class: name as "batch" });
      await expect(entered).rejects.toThrow(/class.*expected one of "interactive", "batch"/s);
      expect(gate.stats().admitted).toBe(0);
    },
  );

  it("have names that the compiler knows", async () => {
    const gate = createGate({ maxInFlight: 1, classes });
    // @ts-expect-error: the classes are interactive and batch.
    await expect(gate.enter({ class: "bulk" })).rejects.toThrow(/class/);
    // @ts-expect-error: likewise.
    expect(() => gate.update({ classes: { bulk: {} } })).toThrow(/classes.bulk/);
    // @ts-expect-error: likewise.
    expect(() => createGate({ maxInFlight: 1, classes, defaultClass: "bulk" })).toThrow(/default/);
    expect(gate.stats().classes?.batch.queued).toBe(0);
  });

  it("are not there in a gate without them", async () => {
    const gate = createGate({ maxInFlight: 1 });
    await expect(gate.enter({ class: "batch" })).rejects.toThrow(/nothing without classes/);
    expect(gate.stats()).not.toHaveProperty("classes");
    expect(gate.settings).not.toHaveProperty("classes");
  });

  it("stand in events", async () => {
    const events: SluiceEvent[] = [];
    const gate = createGate({
      maxInFlight: 1,
      queue: { max: 0 },
      classes,
      recorder: { record: (event) => void events.push(event) },
    });
    const permit = await permitOf(gate.enter({ class: "batch" }));
    await gate.enter({ class: "interactive" });
    permit.end();
    expect(events).toMatchObject([
      { type: "gate_admitted", class: "batch" },
      { type: "gate_rejected", class: "interactive", reason: "queue_full" },
      { type: "gate_ended", class: "batch" },
    ]);
  });

  it("predict the wait of each by its own holds: long batch calls refuse nobody else", async () => {
    const { clock, gate, enter, end } = stage({
      maxInFlight: 4,
      queue: { max: 10, timeoutMs: 1000 },
      classes: { interactive: { reserved: 2 }, batch: {} },
    });
    times(2, () => enter("batch", { class: "batch" }));
    await clock.advanceAsync(60_000);
    await end(2);
    times(2, () => enter("batch", { class: "batch" }));
    times(2, () => enter("interactive", { class: "interactive" }));
    await clock.advanceAsync(100);
    const permits = gate.stats().inFlight;
    expect(permits).toBe(4);
    const soon = gate.enter({ class: "interactive" });
    expect(await reasonOf(gate.enter({ class: "batch" }))).toBe("deadline_unreachable");
    expect(gate.stats().queued).toBe(1);
    void soon;
  });

  it("are drained with all who wait in them", async () => {
    const { gate, enter } = stage({ maxInFlight: 1, queue: { max: 4 }, classes });
    enter("first", { class: "batch" });
    const waiting = [{ class: "batch" }, { class: "interactive" }].map((each) =>
      reasonOf(gate.enter(each)),
    );
    void gate.drain();
    expect(await Promise.all(waiting)).toEqual(["draining", "draining"]);
  });
});

describe("a recorder that calls the gate", () => {
  /** Takes the last slot when it hears of a refusal, while those who wait are being asked. */
  async function lastSlotTaken() {
    let nowMs = 0;
    // Timers are late here: who waits too long is found when its turn comes.
    const clock = { nowMs: () => nowMs, after: () => () => {} };
    let onRejected = () => {};
    const gate: Gate<"batch" | "chat"> = createGate({
      maxInFlight: 3,
      queue: { max: 10, timeoutMs: 10_000 },
      classes: { batch: { weight: 100 }, chat: { weight: 1, reserved: 1 } },
      clock,
      recorder: {
        record: ({ type }) => {
          if (type === "gate_rejected") onRejected();
        },
      },
    });
    const [batch] = [await permitOf(gate.enter()), await permitOf(gate.enter())];
    const chat = await permitOf(gate.enter({ class: "chat" }));
    const waiting = reasonOf(gate.enter({ class: "batch" })); // what comes free is kept for chat
    const late = reasonOf(gate.enter({ class: "chat", deadlineMs: 500 }));
    nowMs = 600;
    onRejected = () => void gate.enter({ class: "chat" });
    chat.end();
    expect(await late).toBe("deadline_unreachable");
    expect(gate.stats()).toMatchObject({ inFlight: 3, queued: 1 });
    return { gate, batch, waiting };
  }

  it("costs nobody a turn", async () => {
    const { batch, waiting } = await lastSlotTaken();
    batch?.end();
    expect(await waiting).toBe("admitted");
  });

  it("leaves nobody behind in a gate that drains", async () => {
    const { gate, waiting } = await lastSlotTaken();
    void gate.drain();
    expect(await waiting).toBe("draining");
  });
});
