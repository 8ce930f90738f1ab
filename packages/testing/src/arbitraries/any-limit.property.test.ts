import type { Limit } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLimit, anyLimits } from "./any-limit";

/** Enough draws that something drawn once in a hundred times is surely among them. */
const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 800, seed: 7 });

const kinds: readonly Limit["kind"][] = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "token-bucket",
  "concurrency",
];

const windowOf = (limit: Limit): number => {
  if (limit.kind === "token-bucket") return limit.perMs;
  return limit.kind === "concurrency" ? limit.leaseMs : limit.windowMs;
};

describe("anyLimit", () => {
  it("draws every kind, unit, anchor and way of naming", () => {
    const drawn = sample(anyLimit());
    expect(new Set(drawn.map((each) => each.kind))).toEqual(new Set(kinds));
    expect(new Set(drawn.map((each) => each.unit))).toEqual(
      new Set(["requests", "tokens", "slots"]),
    );
    const anchors = drawn.map((each) => (each.kind === "fixed-window" ? each.anchor : undefined));
    expect(new Set(anchors)).toEqual(new Set(["first-request", "epoch", undefined]));
    const names = new Set(drawn.map((each) => each.name));
    expect(names).toContain("__proto__");
    expect(names).toContain("concurrency-slots");
  });

  it.each(kinds)("draws %s alone, with a max of 0, small and realistic", (kind) => {
    const drawn = sample(anyLimit({ kinds: [kind] }));
    expect(new Set(drawn.map((each) => each.kind))).toEqual(new Set([kind]));
    expect(Math.min(...drawn.map((each) => each.max))).toBe(0);
    expect(Math.max(...drawn.map((each) => each.max))).toBeGreaterThanOrEqual(1_000);
    expect(Math.min(...drawn.map(windowOf))).toBeLessThanOrEqual(20);
    expect(Math.max(...drawn.map(windowOf))).toBeGreaterThanOrEqual(99_000);
  });

  it.each(kinds)("keeps %s to the wanted size, max, units and modes", (kind) => {
    const small = sample(anyLimit({ kinds: [kind], size: "small", maxAtLeast: 1 }));
    for (const limit of small) {
      expect(limit.max).toBeGreaterThanOrEqual(1);
      expect(limit.max).toBeLessThanOrEqual(8);
      expect(windowOf(limit)).toBeLessThanOrEqual(50);
      expect(limit.mode).toBe("enforce");
    }
    const realistic = sample(
      anyLimit({
        kinds: [kind],
        size: "realistic",
        maxAtLeast: 1,
        units: ["images"],
        modes: ["shadow"],
      }),
    );
    for (const limit of realistic) {
      expect(limit.max).toBeGreaterThanOrEqual(1);
      expect(limit.unit).toBe(kind === "concurrency" ? "slots" : "images");
      expect(limit.mode).toBe("shadow");
      if (kind !== "token-bucket") expect(windowOf(limit)).toBeGreaterThanOrEqual(50);
    }
  });
});

describe("anyLimits", () => {
  it("draws one to four limits of different names, or as many as wanted", () => {
    const drawn = sample(anyLimits());
    for (const limits of drawn) {
      expect(new Set(limits.map((each) => each.name)).size).toBe(limits.length);
    }
    expect(new Set(drawn.map((limits) => limits.length))).toEqual(new Set([1, 2, 3, 4]));
    expect(Math.max(...sample(anyLimits({ atMost: 2 })).map((limits) => limits.length))).toBe(2);
  });
});
