import { createLimiter, fixedWindow, type LimiterPermit, memoryStore } from "@sluice/core";
import { failed, serverFailed, succeeded } from "@sluice/core/http";
import { FakeClock } from "@sluice/testing";
import { describe, expect, it, vi } from "vitest";
import { setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { expectAttempts, questionOf, statusOf, usedOf } from "./attempts";

const window = (max: number, windowMs = 60_000) => [fixedWindow({ max, windowMs })];

describe("express-rate-limit's middleware", () => {
  it("E-14: limit 2", async () => {
    await expectAttempts(setStage(), window(2), [
      [0, 1, 200],
      [0, 1, 200],
      [0, 1, 429],
    ]);
  });

  it("E-15: a window of 50 ms, over and over", async () => {
    await expectAttempts(setStage(), window(2, 50), [
      [0, 1, 200],
      [0, 1, 200],
      [0, 1, 429],
      [60, 1, 200],
      [60, 1, 200],
      [60, 1, 429],
      [120, 1, 200],
      [120, 1, 200],
      [120, 1, 429],
      [180, 1, 200],
    ]);
  });

  it("E-16: limit 0 refuses at once", async () => {
    await expectAttempts(setStage(), window(0), [[0, 1, 429]]);
  });

  it("E-19: a counter per key", async () => {
    await expectAttempts(setStage(), window(2), [
      [0, 1, 200, "k1"],
      [0, 1, 200, "k1"],
      [0, 1, 200, "k2"],
      [0, 1, 429, "k1"],
      [0, 1, 200, "k2"],
      [0, 1, 429, "k2"],
    ]);
  });

  it("E-29: a key limit and a global one are one question: a refusal charges neither", async () => {
    const on = setStage();
    const perKey = fixedWindow({ name: "per-key", max: 2, windowMs: 60_000 });
    const total = fixedWindow({ name: "total", max: 5, windowMs: 60_000 });
    const rows: (string | number | undefined)[][] = [];
    for (const by of ["k1", "k2", "k1", "k2", "k1", "k3", "k3"]) {
      const verdict = await on.limiter.admit({
        descriptors: [
          { kind: "key", id: by, limits: [perKey] },
          { kind: "global", id: "all", limits: [total] },
        ],
      });
      const [ofKey, ofTotal] = verdict.statuses.map(({ remaining }) => remaining);
      rows.push([by, statusOf(verdict), ofKey, ofTotal]);
    }
    expect(rows).toEqual([
      ["k1", 200, 1, 4],
      ["k2", 200, 1, 3],
      ["k1", 200, 0, 2],
      ["k2", 200, 0, 1],
      ["k1", 429, 0, 1],
      ["k3", 200, 1, 0],
      // Refused by the global limit. There it was charged to the key all the same; here it is not.
      ["k3", 429, 1, 0],
    ]);
  });
});

describe("express-rate-limit's requests that are not counted", () => {
  /** What an adapter does when an answer has ended. */
  const end = async (permit: LimiterPermit, isRefunded: boolean) => {
    if (isRefunded) permit.refundAtEnd();
    await permit.finish();
  };
  const limits = window(2);

  it.each([
    { id: "E-24", refundWhen: succeeded, ended: { status: 200, isComplete: true }, used: 0 },
    { id: "E-24", refundWhen: succeeded, ended: { status: 400, isComplete: true }, used: 1 },
    { id: "E-26", refundWhen: failed, ended: { status: 400, isComplete: true }, used: 0 },
    { id: "E-26", refundWhen: failed, ended: { status: 200, isComplete: true }, used: 1 },
    { id: "E-26", refundWhen: failed, ended: { status: 200, isComplete: false }, used: 0 },
    { id: "E-26", refundWhen: serverFailed, ended: { status: 400, isComplete: true }, used: 1 },
  ])("$id: $ended leaves $used with $refundWhen.name", async ({ refundWhen, ended, used }) => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf(limits)));
    await end(permit, refundWhen(ended));
    expect(await usedOf(on, limits)).toEqual([used]);
  });

  it("E-26: its own refusals are not among them", async () => {
    const on = setStage();
    for (const expected of [0, 0, 0]) {
      await end(expectAdmitted(await on.limiter.admit(questionOf(limits))), true);
      expect(await usedOf(on, limits)).toEqual([expected]);
    }
    await expectAttempts(on, limits, [
      [0, 1, 200],
      [0, 1, 200],
      [0, 1, 429],
    ]);
    expect(await usedOf(on, limits)).toEqual([2]);
  });

  it.each([
    { windowMs: 500, handlerMs: 25, used: 0 },
    // Its window is over, and the counter of the next one is not its own.
    { windowMs: 50, handlerMs: 75, used: 1 },
  ])("E-25: $handlerMs ms in a window of $windowMs ms", async ({ windowMs, handlerMs, used }) => {
    const on = setStage();
    const brief = window(2, windowMs);
    const permit = expectAdmitted(await on.limiter.admit(questionOf(brief)));
    await on.clock.advanceAsync(handlerMs);
    if (used > 0) await on.limiter.admit(questionOf(brief));
    await end(permit, succeeded({ status: 200, isComplete: true }));
    expect(await usedOf(on, brief)).toEqual([used]);
  });
});

describe("express-rate-limit's memory store", () => {
  const limits = window(100);

  it("E-31: increments, and decrements down to 0", async () => {
    const on = setStage();
    const increment = async () => expectAdmitted(await on.limiter.admit(questionOf(limits)));
    await increment();
    expect(await usedOf(on, limits)).toEqual([1]);
    const second = await increment();
    expect(await usedOf(on, limits)).toEqual([2]);
    await second.refund();
    await increment();
    expect(await usedOf(on, limits)).toEqual([2]);
  });

  it("E-31: a second decrement of one increment does nothing", async () => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf(limits)));
    await permit.refund();
    await permit.refund();
    expect(await usedOf(on, limits)).toEqual([0]);
    expectAdmitted(await on.limiter.admit(questionOf(limits)));
    expect(await usedOf(on, limits)).toEqual([1]);
  });

  it("E-31: a key that was reset begins at 1, the others stay", async () => {
    const on = setStage();
    for (const by of ["a", "a", "b"]) await on.limiter.admit(questionOf(limits, by));
    await on.limiter.reset(questionOf(limits, "a"));
    expect(await usedOf(on, limits, "a")).toEqual([0]);
    expect(await usedOf(on, limits, "b")).toEqual([1]);
    await on.limiter.admit(questionOf(limits, "a"));
    expect(await usedOf(on, limits, "a")).toEqual([1]);
  });

  it("E-31: all keys can be reset in one call", async () => {
    const on = setStage();
    for (const by of ["a", "b"]) await on.limiter.admit(questionOf(limits, by));
    const descriptors = ["a", "b"].flatMap((by) => questionOf(limits, by).descriptors);
    await on.limiter.reset({ descriptors });
    expect(on.store.size).toBe(0);
  });

  it("E-31: shutting down clears the timer, twice is once", async () => {
    const clock = new FakeClock();
    const store = memoryStore({ clock });
    await createLimiter({ store, clock }).admit(questionOf(limits));
    expect(clock.pendingTimers).toBe(1);
    await store.close();
    expect(clock.pendingTimers).toBe(0);
    await store.close();
    expect(store.size).toBe(0);
  });

  it("E-32: both of two keys begin again after the window", async () => {
    const on = setStage();
    const brief = window(100, 50);
    const counts = async () => {
      for (const by of ["a", "b"]) await on.limiter.admit(questionOf(brief, by));
      return [...(await usedOf(on, brief, "a")), ...(await usedOf(on, brief, "b"))];
    };
    expect(await counts()).toEqual([1, 1]);
    await on.clock.advanceAsync(60);
    expect(await counts()).toEqual([1, 1]);
  });

  it("E-33: keys share nothing, in whatever order their windows come and go", async () => {
    const on = setStage();
    const brief = window(100, 100);
    const increment = async (by: string) => {
      expectAdmitted(await on.limiter.admit(questionOf(brief, by)));
      return (await usedOf(on, brief, by))[0];
    };
    await increment("key1");
    await on.clock.advanceAsync(100);
    await increment("key1");
    await increment("key2");
    await on.clock.advanceAsync(100);
    await increment("key1");
    await increment("key1");
    expect(await increment("key1")).toBe(3);
    expect(await increment("key3")).toBe(1);
    expect(await increment("key1")).toBe(4);
  });

  it("E-33: a refused key does not come free by the window of another", async () => {
    const on = setStage();
    const one = window(1, 100);
    expectAdmitted(await on.limiter.admit(questionOf(one, "key1")));
    await on.clock.advanceAsync(60);
    expectAdmitted(await on.limiter.admit(questionOf(one, "key2")));
    await on.clock.advanceAsync(60);
    expectAdmitted(await on.limiter.admit(questionOf(one, "key1")));
    expectRejected(await on.limiter.admit(questionOf(one, "key2")), "window_exhausted");
  });

  it("E-34: works where timers are numbers, as in browsers", async () => {
    const timers = [
      vi.spyOn(globalThis, "setTimeout").mockReturnValue(7 as unknown as NodeJS.Timeout),
      vi.spyOn(globalThis, "clearTimeout").mockReturnValue(undefined),
    ];
    try {
      const limiter = createLimiter();
      expectAdmitted(await limiter.admit(questionOf(window(1))));
      expectRejected(await limiter.admit(questionOf(window(1))), "window_exhausted");
      await limiter.close();
      expect(timers[0]).toHaveBeenCalled();
      expect(timers[1]).toHaveBeenCalledWith(7);
    } finally {
      for (const timer of timers) timer.mockRestore();
    }
  });
});
