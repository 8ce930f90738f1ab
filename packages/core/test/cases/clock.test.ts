import {
  type Clock,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { FakeClock, realisticStartMs } from "@sluice/testing";
import { describe, expect, it, vi } from "vitest";
import { setStage } from "../stage";
import { openStore } from "../store/store-under-test";
import { expectAdmitted } from "../verdicts";
import {
  expectAttempts,
  expectSwept,
  questionOf,
  rejectionOf,
  statusesOf,
  usedOf,
} from "./attempts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const second = tokenBucket({ name: "bucket", capacity: 3, refill: 1, perMs: 1_000 });

describe("a wall clock that is set", () => {
  it.each([-11_000, 3_600_000])(
    "R012: by %d ms changes nothing where the process's own clock decides",
    async (stepMs) => {
      const limiter = createLimiter();
      // One token per hour: what the test takes of real time brings none.
      const limits = [tokenBucket({ capacity: 3, refill: 1, perMs: HOUR_MS })];
      for (let hit = 0; hit < 3; hit += 1) {
        expectAdmitted(await limiter.admit(questionOf(limits)));
      }
      const wall = vi.spyOn(Date, "now").mockReturnValue(Date.now() + stepMs);
      try {
        const { retryAfterMs } = await rejectionOf({ limiter }, limits);
        expect(retryAfterMs).toBeGreaterThan(0);
        expect(retryAfterMs).toBeLessThanOrEqual(HOUR_MS);
        expect(await usedOf({ limiter }, limits)).toEqual([3]);
      } finally {
        wall.mockRestore();
        await limiter.close();
      }
    },
  );

  it("R012: a second of monotonic time brings one token of one per second", async () => {
    const on = setStage({ startMs: realisticStartMs });
    await expectAttempts(
      on,
      [second],
      [
        [0, 3, 200],
        [1_000, 1, 200],
        [1_000, 1, 429],
      ],
    );
    expect((await rejectionOf(on, [second])).retryAfterMs).toBe(1_000);
  });
});

describe("a store whose clock steps back", () => {
  it("R012 (a): by 11 s leaves a drained bucket at 0 tokens, not at -11", async () => {
    const on = setStage({ startMs: 11_000 });
    await expectAttempts(on, [second], [[0, 3, 200]]);
    on.clock.stepBack(11_000);
    const { retryAfterMs } = await rejectionOf(on, [second]);
    expect(retryAfterMs).toBeLessThanOrEqual(1_000);
    expect(await usedOf(on, [second])).toEqual([3]);
    await on.clock.advanceAsync(1_000);
    expect(await usedOf(on, [second])).toEqual([2]);
  });

  const limits: readonly Limit[] = [
    fixedWindow({ name: "limit", max: 3, windowMs: 2 * HOUR_MS }),
    fixedWindow({ name: "limit", max: 3, windowMs: 2 * HOUR_MS, anchor: "epoch" }),
    slidingWindow({ name: "limit", max: 3, windowMs: 2 * HOUR_MS }),
    slidingLog({ name: "limit", max: 3, windowMs: 2 * HOUR_MS }),
    tokenBucket({ name: "limit", capacity: 3, refill: 3, perMs: 2 * HOUR_MS }),
  ];

  it.each(limits)(
    "7.4.12: by an hour lengthens the wait of a $kind by an hour at most, and refills nothing",
    async (limit) => {
      const on = setStage({ startMs: realisticStartMs });
      await expectAttempts(on, [limit], [[0, 3, 200]]);
      const before = (await rejectionOf(on, [limit])).retryAfterMs ?? 0;
      on.clock.stepBack(HOUR_MS);
      const rejection = await rejectionOf(on, [limit]);
      expect(rejection.reason).toBe("window_exhausted");
      const after = rejection.retryAfterMs ?? 0;
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(before + HOUR_MS);
      expect(await usedOf(on, [limit])).toEqual([3]);
      // The wait that is told then is as exact as any other.
      await expectAttempts(
        on,
        [limit],
        [
          [after - 1, 1, 429],
          [after, 1, 200],
        ],
      );
    },
  );

  it("7.4.12: by an hour keeps the slots of the living, and a dead one's for a lease", async () => {
    const clock = new FakeClock({ startMs: realisticStartMs });
    // Only the store's clock steps back: the one of the process is promised never to.
    let steppedMs = 0;
    const ofStore: Clock = {
      nowMs: () => clock.nowMs() - steppedMs,
      after: (delayMs, fn) => clock.after(delayMs, fn),
    };
    const store = openStore({ clock: ofStore });
    const open = () => createLimiter({ store, clock });
    const slots = [concurrency({ max: 2, leaseMs: 30_000 })];
    const doomed = open();
    expectAdmitted(await doomed.admit(questionOf(slots)));
    await doomed.close();
    const limiter = open();
    const permit = expectAdmitted(await limiter.admit(questionOf(slots)));
    steppedMs = HOUR_MS;
    // The refusal finds leases that end in the future and cuts them to one lease from now.
    expect((await rejectionOf({ limiter }, slots)).reason).toBe("concurrency_exhausted");
    await clock.advanceAsync(29_999);
    expect(await usedOf({ limiter }, slots)).toEqual([2]);
    await clock.advanceAsync(1);
    expect(await usedOf({ limiter }, slots)).toEqual([1]);
    await clock.advanceAsync(HOUR_MS);
    expect(await usedOf({ limiter }, slots)).toEqual([1]);
    expect(permit.lost.aborted).toBe(false);
    await permit.release();
    expect(await usedOf({ limiter }, slots)).toEqual([0]);
    await limiter.close();
  });
});

describe("units of time", () => {
  it.each([60_000, HOUR_MS, YEAR_MS])(
    "R014: a window of %d ms resets within that many milliseconds",
    async (windowMs) => {
      const on = setStage({ startMs: realisticStartMs });
      const limits = [
        fixedWindow({ max: 60, windowMs }),
        slidingLog({ max: 60, windowMs }),
        tokenBucket({ capacity: 60, refill: 60, perMs: windowMs }),
      ];
      const { statuses } = await on.limiter.admit(questionOf(limits));
      for (const { resetAfterMs } of statuses) {
        expect(resetAfterMs).toBeGreaterThan(0);
        expect(resetAfterMs).toBeLessThanOrEqual(windowMs);
      }
      expect(await statusesOf(on, limits)).toEqual(statuses);
      await on.clock.advanceAsync(windowMs);
      expect(await usedOf(on, limits)).toEqual([0, 0, 0]);
      await on.clock.runUntilIdle();
      expectSwept(on);
    },
  );
});
