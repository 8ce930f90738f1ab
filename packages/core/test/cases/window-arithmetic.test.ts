import {
  type Clock,
  concurrency,
  createLimiter,
  fixedWindow,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { setStage, startsMs } from "../stage";
import { openStore } from "../store/store-under-test";
import { expectAdmitted, expectRejected } from "../verdicts";
import {
  admittedAt,
  every,
  expectAttempts,
  expectSwept,
  questionOf,
  rejectionOf,
  statusesOf,
  usedOf,
} from "./attempts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe.each(startsMs)("window arithmetic, from instant %d", (startMs) => {
  it("R001: every key has a reset of its own", async () => {
    const on = setStage({ startMs });
    const limits = [fixedWindow({ max: 1, windowMs: 10_000 })];
    await expectAttempts(on, limits, [
      [0, 1, 200, "user-1"],
      [7_000, 1, 200, "user-2"],
      [7_001, 1, 429, "user-2"],
      // The window of user 1 rolled over at 10 000; the one of user 2 does at 17 000.
      [12_000, 1, 429, "user-2"],
    ]);
    expect((await rejectionOf(on, limits, "user-2")).retryAfterMs).toBe(5_000);
    await expectAttempts(on, limits, [[5_000, 1, 200, "user-2"]]);
  });

  it.each(["swept", "not swept"])(
    "R002: count and reset belong to one window, also when the old one was %s",
    async (how) => {
      const clock = new FakeClock({ startMs });
      const noTimers: Clock = { nowMs: () => clock.nowMs(), after: () => () => {} };
      const store = openStore({ clock: how === "swept" ? clock : noTimers });
      const on = { limiter: createLimiter({ store, clock }) };
      const limits = [fixedWindow({ max: 100, windowMs: 5_000 })];
      for (let hit = 0; hit < 50; hit += 1) await on.limiter.admit(questionOf(limits));
      clock.advance(4_999);
      expect(await statusesOf(on, limits)).toMatchObject([
        { used: 50, remaining: 50, resetAfterMs: 1 },
      ]);
      // The sweeper comes by in the milliseconds after the end; without it the hit is at the end.
      clock.advance(how === "swept" ? 20 : 1);
      if (how === "swept") expectSwept({ store });
      else expect(store.size).toBe(1);
      const verdict = await on.limiter.admit(questionOf(limits));
      expect(verdict.statuses).toMatchObject([{ used: 1, remaining: 99, resetAfterMs: 5_000 }]);
    },
  );

  it("R003: a bucket refills steadily and is not full again after each period", async () => {
    const on = setStage({ startMs });
    const limits = [tokenBucket({ capacity: 3, refill: 3, perMs: 1_000 })];
    const admitted = await admittedAt(on, limits, every(100, 100));
    expect(admitted).toHaveLength(32);
    expect(admitted.slice(0, 10)).toEqual([
      0, 100, 200, 400, 700, 1_000, 1_400, 1_700, 2_000, 2_400,
    ]);
    const later = admitted.filter((at) => at >= 1_000);
    for (const from of later) {
      const inSpan = later.filter((at) => at >= from && at < from + 1_000);
      expect(inSpan.length, `from ${from}`).toBeLessThanOrEqual(3);
    }
  });

  it.each([slidingLog({ max: 2, windowMs: 2_000 }), fixedWindow({ max: 2, windowMs: 2_000 })])(
    "R005: rejected attempts do not keep the door shut: $name",
    async (limit) => {
      const on = setStage({ startMs });
      expect(await admittedAt(on, [limit], every(100, 100))).toEqual([
        0, 100, 2_000, 2_100, 4_000, 4_100, 6_000, 6_100, 8_000, 8_100,
      ]);
    },
  );

  it("R007: the state of a slow bucket lives until the bucket is full", async () => {
    const on = setStage({ startMs });
    const limits = [tokenBucket({ capacity: 1, refill: 1, perMs: 10_000 })];
    await expectAttempts(on, limits, [
      [0, 1, 200],
      [2_000, 1, 429],
      [9_999, 1, 429],
    ]);
    expect(on.store.size).toBe(1);
    expect(await statusesOf(on, limits)).toMatchObject([{ used: 1, resetAfterMs: 1 }]);
    await expectAttempts(on, limits, [[1, 1, 200]]);
    await on.clock.runUntilIdle();
    expectSwept(on);
  });
});

// Buckets lie at whole minutes since the epoch, so the cases begin at one.
describe.each([0, 1_764_000_000_000])("sliding windows, from instant %d", (startMs) => {
  it("R008: only the bucket that is over is dropped, not the whole history", async () => {
    const on = setStage({ startMs });
    const limits = [slidingWindow({ max: 10, windowMs: HOUR_MS, buckets: 60 })];
    await expectAttempts(on, limits, [
      [0, 1, 200],
      [59 * MINUTE_MS, 8, 200],
    ]);
    const admitted = await admittedAt(on, limits, new Array<number>(9).fill(2 * MINUTE_MS));
    expect(admitted).toHaveLength(2);
  });

  it("R008: one millisecond before that the first charge still counts", async () => {
    const on = setStage({ startMs });
    const limits = [slidingWindow({ max: 10, windowMs: HOUR_MS, buckets: 60 })];
    await expectAttempts(on, limits, [
      [0, 1, 200],
      [59 * MINUTE_MS, 8, 200],
      [61 * MINUTE_MS - 1, 2, 429],
      [61 * MINUTE_MS, 2, 200],
    ]);
  });
});

describe.each(startsMs)("several limits on one key, from instant %d", (startMs) => {
  it("R011 (a): a refusal for concurrency charges no rate", async () => {
    const on = setStage({ startMs });
    const limits = [
      fixedWindow({ name: "rate", max: 2, windowMs: MINUTE_MS }),
      concurrency({ name: "slots", max: 1 }),
    ];
    const a = expectAdmitted(await on.limiter.admit(questionOf(limits)));
    expectRejected(await on.limiter.admit(questionOf(limits)), "concurrency_exhausted");
    expect(await usedOf(on, limits)).toEqual([1, 1]);
    await a.release();
    expectAdmitted(await on.limiter.admit(questionOf(limits)));
    expect(await usedOf(on, limits)).toEqual([2, 1]);
    await on.limiter.close();
  });

  it("R011 (b): what the second refuses the minute does not count", async () => {
    const on = setStage({ startMs });
    const limits = [
      fixedWindow({ name: "second", max: 10, windowMs: 1_000 }),
      fixedWindow({ name: "minute", max: 100, windowMs: MINUTE_MS }),
    ];
    expect(await admittedAt(on, limits, every(30, 30))).toHaveLength(10);
    expect(await usedOf(on, limits)).toEqual([10, 10]);
  });
});
