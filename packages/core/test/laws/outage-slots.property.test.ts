import { concurrency, type LimiterPermit } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { eventsOf } from "../stage";
import { type FleetProcess, setFleet, usedThere } from "../store/fleet";

const SIZE = 3;
const LEASE_MS = 4_000;

const anyStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ take: fc.constant(true) }) },
  { weight: 4, arbitrary: fc.record({ close: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ isAway: fc.boolean(), isApplied: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ unheard: fc.constantFrom("admit", "renew", "release") }) },
  { weight: 4, arbitrary: fc.record({ waitMs: fc.integer({ min: 0, max: 6_000 }) }) },
);
const anySteps = fc.array(fc.tuple(fc.nat({ max: SIZE - 1 }), anyStep), { maxLength: 60 });
const anyMax = fc.integer({ min: SIZE, max: 12 });

async function usedOf(fleet: ReturnType<typeof setFleet>, max: number) {
  return (await usedThere(fleet, [concurrency({ name: "slots", max, leaseMs: LEASE_MS })]))[0];
}

const asked = (max: number) => {
  const limits = [concurrency({ name: "slots", max, leaseMs: LEASE_MS })];
  return { descriptors: [{ kind: "key", id: "k", limits }] };
};

describe("Slots", () => {
  it("of a fleet whose store is away from the beginning are never more than max", async () => {
    await fc.assert(
      fc.asyncProperty(anyMax, anySteps, async (max, steps) => {
        const fleet = setFleet(SIZE, { startMs: 7_000 });
        fleet.goAway();
        const open: LimiterPermit[] = [];
        for (const [by, step] of steps) {
          if ("take" in step) {
            const { limiter } = fleet.processes[by] as FleetProcess;
            const verdict = await limiter.admit(asked(max));
            if (verdict.admitted) open.push(verdict.permit);
            expect(open.length).toBeLessThanOrEqual(max);
          } else if ("close" in step) {
            const [closed] = open.splice(step.close % Math.max(1, open.length), 1);
            await closed?.release();
          } else if ("waitMs" in step) await fleet.clock.advanceAsync(step.waitMs);
        }
        expect(open.every(({ lost }) => !lost.aborted)).toBe(true);
        fleet.recover();
        await fleet.clock.advanceAsync(2_000);
        expect(await usedOf(fleet, max)).toBe(open.length);
        await fleet.close();
      }),
      runs(100),
    );
  });

  it("are neither lost nor leaked, however outages come and go", async () => {
    await fc.assert(
      fc.asyncProperty(anyMax, anySteps, async (max, steps) => {
        const fleet = setFleet(SIZE, { startMs: 7_000, aheadMs: 50_000 });
        const open: LimiterPermit[] = [];
        for (const [by, step] of steps) {
          const { limiter, faulty } = fleet.processes[by] as FleetProcess;
          if ("take" in step) {
            const verdict = await limiter.admit(asked(max));
            if (verdict.admitted) open.push(verdict.permit);
          } else if ("close" in step) {
            const [closed] = open.splice(step.close % Math.max(1, open.length), 1);
            await closed?.settle({ requests: 1 });
          } else if ("isAway" in step) {
            if (step.isAway) faulty.goAway({ isApplied: step.isApplied });
            else faulty.recover();
          } else if ("unheard" in step) {
            faulty.failNext(step.unheard as "admit", { isApplied: true });
          } else await fleet.clock.advanceAsync(step.waitMs);
        }
        fleet.recover();
        await fleet.clock.advanceAsync(2 * LEASE_MS);
        expect(open.map(({ lost }) => lost.aborted)).toEqual(open.map(() => false));
        expect(fleet.processes.flatMap((each) => eventsOf(each, "lease_lost"))).toEqual([]);
        expect(await usedOf(fleet, max)).toBe(open.length);
        for (const permit of open) await permit.release();
        expect(await usedOf(fleet, max)).toBe(0);
        await fleet.close();
      }),
      runs(150),
    );
  });
});
