import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyPriorityPool, poolClasses } from "./any-priority-pool";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 500, seed: 7 });

describe("anyPriorityPool", () => {
  it("draws both ways, one and two units, all classes, thresholds from 0 to 1", () => {
    const drawn = sample(anyPriorityPool({ modes: ["enforce", "shadow"] }));
    expect(new Set(drawn.map((each) => each.whenSaturated))).toEqual(new Set(["strict", "lend"]));
    expect(new Set(drawn.map((each) => each.mode))).toEqual(new Set(["enforce", "shadow"]));
    expect(new Set(drawn.map(({ capacity }) => Object.keys(capacity).length))).toEqual(
      new Set([1, 2]),
    );
    expect(new Set(drawn.flatMap(({ classes }) => classes))).toEqual(
      new Set([...poolClasses, "default"]),
    );
    const thresholds = drawn.map((each) => each.saturationThreshold);
    expect(Math.min(...thresholds)).toBe(0);
    expect(Math.max(...thresholds)).toBe(1);
    // Some leave part of the capacity to nobody, and some all of it to the named classes.
    const kept = drawn.map(({ guaranteed }) => guaranteed.requests ?? []);
    expect(kept.some((amounts) => amounts.at(-1) === 0)).toBe(true);
  });

  it("keeps to the wanted size, units, threshold and way", () => {
    const drawn = sample(
      anyPriorityPool({
        ...{ size: "small", units: ["points"], whenSaturated: "lend", saturationThreshold: 0.1 },
      }),
    );
    for (const { windowMs, capacity, whenSaturated, saturationThreshold } of drawn) {
      expect(windowMs).toBeLessThanOrEqual(50);
      expect(Object.keys(capacity)).toEqual(["points"]);
      expect([whenSaturated, saturationThreshold]).toEqual(["lend", 0.1]);
    }
  });
});
