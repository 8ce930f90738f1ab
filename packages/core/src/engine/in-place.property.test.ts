import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EnginePlay } from "../../test/engine/engine-play";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { CheckLimit } from "../limit/limit";
import { poolUnitsOf } from "../limit/pool-units";
import { priorityPool } from "../limit/priority-pool";
import { slidingLog } from "../limit/sliding-log";
import { slidingWindow } from "../limit/sliding-window";
import { tokenBucket } from "../limit/token-bucket";

const shared = priorityPool({
  ...{ name: "pool", capacity: { requests: 6, tokens: 9 }, windowMs: 50 },
  shares: { a: 0.5, b: 0.2 },
});

/** Limits that are asked together: one, or the units of a pool. */
const asked: readonly (CheckLimit | readonly CheckLimit[])[] = [
  ...[0, 1, 2].map((ownClass) => poolUnitsOf(shared, ownClass)),
  fixedWindow({ name: "fixed", max: 4, windowMs: 50 }),
  fixedWindow({ name: "fixed", max: 7, windowMs: 50, anchor: "epoch" }),
  fixedWindow({ name: "shadow", max: 2, windowMs: 80, mode: "shadow" }),
  tokenBucket({ name: "bucket", capacity: 5, refill: 3, perMs: 40 }),
  tokenBucket({ name: "bucket", capacity: 3, refill: 1, perMs: 40 }),
  slidingWindow({ name: "sliding", max: 5, windowMs: 60, buckets: 3 }),
  slidingLog({ name: "log", max: 5, windowMs: 60 }),
  concurrency({ name: "slots", max: 3, leaseMs: 70 }),
];

const anyLimits = fc
  .uniqueArray(fc.constantFrom(...asked), {
    minLength: 1,
    maxLength: 4,
    selector: (each) => [each].flat()[0]?.name,
  })
  .map((each) => each.flat());

const anyStep = fc.record({
  afterMs: fc.integer({ min: -30, max: 60 }),
  limits: anyLimits,
  cost: fc.nat(3),
  ids: fc.constantFrom<string[]>(["a"], ["b"], ["a", "b"], ["b", "a"]),
});

describe("Counters that are written in place", () => {
  it("become and answer what new states would, refusals and steps of the clock included", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 25 }), (steps) => {
        const pure = new EnginePlay();
        const inPlace = new EnginePlay({ isInPlace: true });
        let atMs = 1_000;
        for (const [index, { afterMs, limits, cost, ids }] of steps.entries()) {
          atMs += afterMs;
          const takesSlots = limits.some(({ kind }) => kind === "concurrency");
          const by = { ids, operationId: takesSlots ? `op-${index}` : "" };
          const told = inPlace.admit(atMs, limits, cost, by);
          expect(told).toEqual(pure.admit(atMs, limits, cost, by));
          for (const id of ids) expect(inPlace.state(id)).toEqual(pure.state(id));
        }
      }),
      { numRuns: 300 },
    );
  });
});
