import {
  concurrency,
  fixedWindow,
  InvalidOptionsError,
  type Limit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage, startsMs } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { admittedAt, every, questionOf, statusesOf, usedOf } from "./attempts";

/** Each kind of limit by its max alone. */
const limitOf: Readonly<Record<string, (max: number) => Limit>> = {
  fixedWindow: (max) => fixedWindow({ name: "l", max, windowMs: 1_000 }),
  "fixedWindow since the epoch": (max) =>
    fixedWindow({ name: "l", max, windowMs: 1_000, anchor: "epoch" }),
  slidingWindow: (max) => slidingWindow({ name: "l", max, windowMs: 1_000 }),
  slidingLog: (max) => slidingLog({ name: "l", max, windowMs: 1_000 }),
  tokenBucket: (max) => tokenBucket({ name: "l", capacity: max, refill: 1, perMs: 1_000 }),
  concurrency: (max) => concurrency({ name: "l", max }),
};
const kinds = Object.keys(limitOf);
const of = (kind: string, max: number): Limit => (limitOf[kind] as (max: number) => Limit)(max);

describe("R064: a limit of 0", () => {
  it.each(kinds)("admits nothing, from the first hit on: %s", async (kind) => {
    const on = setStage();
    const limits = [of(kind, 0)];
    for (const cost of [1, 0, 5]) {
      const verdict = await on.limiter.admit(questionOf(limits, "k", cost));
      const rejection = expectRejected(verdict, "cost_exceeds_limit");
      expect(rejection.retryable).toBe(false);
      expect(rejection).not.toHaveProperty("retryAfterMs");
      expect(verdict.statuses).toMatchObject([{ max: 0, used: 0, remaining: 0, admitted: false }]);
    }
    await on.clock.advanceAsync(1_000_000);
    expectRejected(await on.limiter.admit(questionOf(limits)), "cost_exceeds_limit");
    expect(on.store.size).toBe(0);
  });

  it.each(kinds)("is a limit, not the absence of one, beside others: %s", async (kind) => {
    const on = setStage();
    const open = fixedWindow({ name: "open", max: 100, windowMs: 1_000 });
    expectRejected(await on.limiter.admit(questionOf([open, of(kind, 0)])), "cost_exceeds_limit");
    expect(await usedOf(on, [open])).toEqual([0]);
  });
});

describe("R065: a limit from the environment", () => {
  const wrong = [Number.NaN, "100", " 10", "ten", -1, 1.5, null, "1 minute"];

  it.each(wrong)("is refused, naming the option, when it is %j", (value) => {
    const bad = value as number;
    const make: readonly (readonly [path: string, make: () => unknown])[] = [
      ["max", () => fixedWindow({ max: bad, windowMs: 1_000 })],
      ["windowMs", () => fixedWindow({ max: 1, windowMs: bad })],
      ["max", () => slidingWindow({ max: bad, windowMs: 1_000 })],
      ["windowMs", () => slidingWindow({ max: 1, windowMs: bad })],
      ["max", () => slidingLog({ max: bad, windowMs: 1_000 })],
      ["windowMs", () => slidingLog({ max: 1, windowMs: bad })],
      ["capacity", () => tokenBucket({ capacity: bad, refill: 1, perMs: 1_000 })],
      ["refill", () => tokenBucket({ capacity: 1, refill: bad, perMs: 1_000 })],
      ["perMs", () => tokenBucket({ capacity: 1, refill: 1, perMs: bad })],
      ["max", () => concurrency({ max: bad })],
      ["leaseMs", () => concurrency({ max: 1, leaseMs: bad })],
    ];
    for (const [path, act] of make) {
      expect(act).toThrow(InvalidOptionsError);
      expect(act).toThrow(`${path}: expected an integer`);
    }
  });

  it("is refused per request as well, where a policy computes it", async () => {
    const on = setStage();
    const policy = (limit: number) =>
      questionOf([fixedWindow({ max: limit, windowMs: 1_000 })], "k");
    expectAdmitted(await on.limiter.admit(policy(5)));
    await expect(async () => on.limiter.admit(policy(Number.NaN))).rejects.toThrow(
      InvalidOptionsError,
    );
    // A copy with another number has not been checked by anybody, so it is no limit either.
    const forged = { ...fixedWindow({ max: 5, windowMs: 1_000 }), max: Number.NaN };
    await expect(on.limiter.admit(questionOf([forged]))).rejects.toThrow(InvalidOptionsError);
    expect(await usedOf(on, [fixedWindow({ max: 5, windowMs: 1_000 })])).toEqual([1]);
  });
});

describe.each(startsMs)("R067: a limit that changes while running, from instant %d", (startMs) => {
  const rate = (amount: number): readonly Limit[] => [
    fixedWindow({ name: "rate", max: amount, windowMs: 5 }),
    slidingWindow({ name: "rate", max: amount, windowMs: 5, buckets: 5 }),
    slidingLog({ name: "rate", max: amount, windowMs: 5 }),
    tokenBucket({ name: "rate", capacity: amount, refill: amount, perMs: 5 }),
  ];

  it.each([0, 1, 2, 3])("(a) goes on refilling at a lowered rate (kind %d)", async (kind) => {
    const on = setStage({ startMs });
    const before = rate(5)[kind] as Limit;
    const lowered = rate(2)[kind] as Limit;
    const eager = (at: number) => new Array<number>(6).fill(at);
    const early = await admittedAt(on, [before], every(1, 7).flatMap(eager));
    expect(early.length).toBeGreaterThanOrEqual(5);
    expect(early.length).toBeLessThanOrEqual(12);
    const late = await admittedAt(on, [lowered], every(1, 94).flatMap(eager));
    // 93 ms at 2 per 5 ms are 37; a window that gives back late gives at least 5 in 6 of that.
    expect(late.length).toBeGreaterThanOrEqual(30);
    expect(late.length).toBeLessThanOrEqual(40);
    expect(late.filter((at) => at >= 80).length).toBeGreaterThanOrEqual(4);
  });

  it("(b) admits to lowered slots when fewer run, and to raised ones at once", async () => {
    const on = setStage({ startMs });
    const slots = (max: number) => questionOf([concurrency({ name: "slots", max })]);
    const running = [];
    for (let start = 0; start < 10; start += 1) {
      running.push(expectAdmitted(await on.limiter.admit(slots(10))));
    }
    for (let left = 10; left > 3; left -= 1) {
      const verdict = await on.limiter.admit(slots(4));
      expectRejected(verdict, "concurrency_exhausted");
      expect(verdict.statuses).toMatchObject([{ max: 4, used: left, remaining: 0 }]);
      await running.pop()?.release();
    }
    running.push(expectAdmitted(await on.limiter.admit(slots(4))));
    expectRejected(await on.limiter.admit(slots(4)), "concurrency_exhausted");
    for (let start = 0; start < 16; start += 1) {
      running.push(expectAdmitted(await on.limiter.admit(slots(20))));
    }
    expectRejected(await on.limiter.admit(slots(20)), "concurrency_exhausted");
    for (const permit of running) await permit.release();
    expect(await statusesOf(on, [concurrency({ name: "slots", max: 4 })])).toMatchObject([
      { used: 0, remaining: 4 },
    ]);
    await on.limiter.close();
  });

  it.each([0, 1, 2, 3])("(c) has the same rate when it is made anew (kind %d)", async (kind) => {
    const instants = every(1, 300);
    const once = setStage({ startMs });
    const expected = await admittedAt(once, [rate(2)[kind] as Limit], instants);
    const anew = setStage({ startMs });
    const received: number[] = [];
    for (const at of instants) {
      const [same] = [rate(2)[kind] as Limit];
      if ((await anew.limiter.admit(questionOf([same]))).admitted) received.push(at);
      await anew.clock.advanceAsync(1);
    }
    expect(received).toEqual(expected);
    expect(expected.length).toBeGreaterThan(90);
    expect(expected.length).toBeLessThanOrEqual(122);
  });
});
