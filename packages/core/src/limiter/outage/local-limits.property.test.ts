import { anyLimit } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import { tokenBucket } from "../../limit/token-bucket";
import { LocalLimits } from "./local-limits";

const anyInstances = fc.integer({ min: 1, max: 1_000 });

describe("The local parts of a limit", () => {
  it("add up to no more than the limit, but each is at least 1", () => {
    fc.assert(
      fc.property(anyLimit(), anyInstances, (limit, instances) => {
        const { max } = new LocalLimits(instances).of(limit);
        if (limit.max === 0) expect(max).toBe(0);
        else expect(max).toBeGreaterThanOrEqual(1);
        expect(max * instances).toBeLessThanOrEqual(Math.max(limit.max, instances));
        if (limit.max >= instances) expect((max + 1) * instances).toBeGreaterThan(limit.max);
      }),
      runs(500),
    );
  });

  it("of a bucket refill together no faster than it, and are buckets themselves", () => {
    const anyOptions = fc
      .tuple(
        fc.integer({ min: 1, max: 3_155_760_000_000 }),
        fc.maxSafeNat(),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      )
      .map(([perMs, capacity, refill]) => {
        const largest = Math.floor(Number.MAX_SAFE_INTEGER / perMs);
        return { perMs, capacity: capacity % (largest + 1), refill: 1 + (refill % largest) };
      });
    fc.assert(
      fc.property(anyOptions, anyInstances, (options, instances) => {
        const local = new LocalLimits(instances).of(tokenBucket(options));
        for (const units of [local.max, local.refill]) {
          expect(Number.isSafeInteger(units * local.perMs)).toBe(true);
        }
        expect(local.refill).toBeGreaterThanOrEqual(1);
        const together = BigInt(local.refill) * BigInt(instances) * BigInt(options.perMs);
        expect(together <= BigInt(options.refill) * BigInt(local.perMs)).toBe(true);
      }),
      runs(1_000),
    );
  });

  it("of a bucket refill exactly as fast together where the numbers allow it", () => {
    const { refill, perMs } = new LocalLimits(6).of(
      tokenBucket({ capacity: 100, refill: 4, perMs: 1_000 }),
    );
    expect({ refill, perMs }).toEqual({ refill: 2, perMs: 3_000 });
  });
});
