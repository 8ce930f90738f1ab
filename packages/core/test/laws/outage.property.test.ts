import {
  fixedWindow,
  type Limit,
  type LimiterPermit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import type { Fault } from "../store/faulty-store";
import { type Fleet, type FleetProcess, setFleet, usedThere } from "../store/fleet";

const SIZE = 3;
const WINDOW_MS = 1_000;

/** A request that was admitted. */
interface Use {
  readonly atMs: number;
  readonly by: number;
  readonly cost: number;
}

const anyArrival = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 })),
  by: fc.nat({ max: SIZE - 1 }),
  cost: fc.integer({ min: 1, max: 6 }),
});
const anyArrivals = fc.array(anyArrival, { minLength: 1, maxLength: 80 });
const anyMax = fc.integer({ min: SIZE, max: 60 });

const asked = (limits: readonly Limit[], requests: number) => ({
  descriptors: [{ kind: "key", id: "k", limits }],
  cost: { requests },
});

/** Lets a whole fleet without its store meet arrivals, and tells what it admitted. */
async function usesOf(
  limit: Limit,
  arrivals: readonly { waitMs: number; by: number; cost: number }[],
): Promise<{ readonly fleet: Fleet; readonly uses: readonly Use[] }> {
  const fleet = setFleet(SIZE, { startMs: 123_456 });
  fleet.goAway();
  const uses: Use[] = [];
  for (const { waitMs, by, cost } of arrivals) {
    await fleet.clock.advanceAsync(waitMs);
    const { limiter } = fleet.processes[by] as FleetProcess;
    const verdict = await limiter.admit(asked([limit], cost));
    expect(verdict.statuses[0]?.source).toBe("local");
    if (verdict.admitted) uses.push({ atMs: fleet.clock.nowMs(), by, cost });
  }
  return { fleet, uses };
}

const total = (uses: readonly Use[]) => uses.reduce((sum, { cost }) => sum + cost, 0);

/** The most that was used in any interval of a length. */
function mostIn(uses: readonly Use[], lengthMs: number): number {
  const sums = uses.map(({ atMs: fromMs }) =>
    total(uses.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + lengthMs)),
  );
  return Math.max(0, ...sums);
}

describe("In windows that begin while the store is away, a fleet stays within", () => {
  it("max, of a fixed window that is aligned", async () => {
    await fc.assert(
      fc.asyncProperty(anyMax, anyArrivals, async (max, arrivals) => {
        const limit = fixedWindow({ max, windowMs: WINDOW_MS, anchor: "epoch" });
        const { fleet, uses } = await usesOf(limit, arrivals);
        const windows = new Set(uses.map(({ atMs }) => Math.floor(atMs / WINDOW_MS)));
        for (const window of windows) {
          const inside = uses.filter(({ atMs }) => Math.floor(atMs / WINDOW_MS) === window);
          expect(total(inside)).toBeLessThanOrEqual(max);
        }
        await fleet.close();
      }),
      runs(60),
    );
  });

  it("max, of a fixed window that opens at the first request, twice that across a boundary", async () => {
    await fc.assert(
      fc.asyncProperty(anyMax, anyArrivals, async (max, arrivals) => {
        const { fleet, uses } = await usesOf(fixedWindow({ max, windowMs: WINDOW_MS }), arrivals);
        let inWindows = 0;
        for (let by = 0; by < SIZE; by += 1) {
          const own = uses.filter((use) => use.by === by);
          const firstMs = own[0]?.atMs ?? 0;
          inWindows += total(own.filter(({ atMs }) => atMs < firstMs + WINDOW_MS));
        }
        expect(inWindows).toBeLessThanOrEqual(max);
        expect(mostIn(uses, WINDOW_MS)).toBeLessThanOrEqual(2 * max);
        await fleet.close();
      }),
      runs(60),
    );
  });

  it.each([
    ["sliding window", slidingWindow],
    ["sliding log", slidingLog],
  ])("max in any interval, of a %s", async (_name, make) => {
    await fc.assert(
      fc.asyncProperty(anyMax, anyArrivals, async (max, arrivals) => {
        const { fleet, uses } = await usesOf(make({ max, windowMs: WINDOW_MS }), arrivals);
        expect(mostIn(uses, WINDOW_MS)).toBeLessThanOrEqual(max);
        await fleet.close();
      }),
      runs(60),
    );
  });

  it("capacity and rate, of a token bucket", async () => {
    const anyRate = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(anyMax, anyRate, anyArrivals, async (capacity, refill, arrivals) => {
        const limit = tokenBucket({ capacity, refill, perMs: WINDOW_MS });
        const { fleet, uses } = await usesOf(limit, arrivals);
        for (const lengthMs of [1, 100, 1_000, 5_000]) {
          // Each process may have a part of one unit ready at both ends.
          const refilled = Math.ceil((lengthMs * refill) / WINDOW_MS) + SIZE;
          expect(mostIn(uses, lengthMs)).toBeLessThanOrEqual(capacity + refilled);
        }
        await fleet.close();
      }),
      runs(60),
    );
  });
});

describe("However outages come and go and reports fail, in the end the store", () => {
  const reportFaults: readonly Fault[] = [{}, { isRetryable: false }, { isApplied: true }];
  const anyStep = fc.oneof(
    { weight: 6, arbitrary: fc.record({ ask: fc.integer({ min: 0, max: 9 }) }) },
    { weight: 2, arbitrary: fc.record({ close: fc.nat(), more: fc.integer({ min: 0, max: 9 }) }) },
    { weight: 2, arbitrary: fc.record({ isAway: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ fault: fc.nat({ max: 2 }) }) },
    { weight: 3, arbitrary: fc.record({ waitMs: fc.integer({ min: 0, max: 1_500 }) }) },
  );
  const anySteps = fc.array(fc.tuple(fc.nat({ max: SIZE - 1 }), anyStep), { maxLength: 50 });
  const HOUR_MS = 3_600_000;
  const limits = [
    fixedWindow({ name: "fixed", max: 1_000_000, windowMs: HOUR_MS }),
    slidingWindow({ name: "sliding", max: 1_000_000, windowMs: HOUR_MS }),
  ];

  it("has counted every local admission and every extra charge exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const fleet = setFleet(SIZE);
        const open: { permit: LimiterPermit; cost: number }[] = [];
        let expected = 0;
        for (const [by, step] of steps) {
          const { limiter, faulty } = fleet.processes[by] as FleetProcess;
          if ("ask" in step) {
            const verdict = await limiter.admit(asked(limits, step.ask));
            if (!verdict.admitted) throw new Error("expected to be admitted");
            open.push({ permit: verdict.permit, cost: step.ask });
            expected += step.ask;
          } else if ("close" in step) {
            const [closed] = open.splice(step.close % Math.max(1, open.length), 1);
            await closed?.permit.settle({ requests: closed.cost + step.more });
            if (closed !== undefined) expected += step.more;
          } else if ("isAway" in step) {
            if (step.isAway) faulty.goAway();
            else faulty.recover();
          } else if ("fault" in step) {
            // Of reports alone: other settlements are sent at most once by law.
            faulty.failReports(reportFaults[step.fault] as Fault);
          } else await fleet.clock.advanceAsync(step.waitMs);
        }
        fleet.recover();
        await fleet.clock.advanceAsync(30_000);
        expect(await usedThere(fleet, limits)).toEqual([expected, expected]);
        await fleet.clock.advanceAsync(30_000);
        expect(await usedThere(fleet, limits)).toEqual([expected, expected]);
        await fleet.close();
      }),
      runs(150),
    );
  });
});
