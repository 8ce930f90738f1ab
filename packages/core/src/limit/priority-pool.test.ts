import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { amountsOf } from "./guaranteed-amounts";
import { isLimit } from "./limit-options";
import { classOf, poolUnitsOf, thresholdsOf } from "./pool-units";
import { type PriorityPoolOptions, priorityPool } from "./priority-pool";

const base = { windowMs: 60_000, capacity: { requests: 100 }, shares: { a: 0.25 } };
const make = (options: object) => priorityPool({ ...base, ...options } as PriorityPoolOptions);

describe("priorityPool", () => {
  it("lends beyond a threshold of 0.5, and leaves the default class the rest", () => {
    expect(make({})).toEqual({
      kind: "priority-pool",
      name: "priority-pool-requests-60s",
      mode: "enforce",
      windowMs: 60_000,
      capacity: { requests: 100 },
      classes: ["a", "default"],
      guaranteed: { requests: [25, 75] },
      saturationThreshold: 0.5,
      whenSaturated: "lend",
    });
  });

  it("keeps what it is told", () => {
    const pool = make({
      name: "gpt",
      mode: "shadow",
      capacity: { requests: 100, tokens: 900_000 },
      defaultShare: 0.25,
      saturationThreshold: 0.8001,
      whenSaturated: "strict",
    });
    expect(pool).toMatchObject({
      ...{ name: "gpt", mode: "shadow", saturationThreshold: 0.8001, whenSaturated: "strict" },
      guaranteed: { requests: [25, 25], tokens: [225_000, 225_000] },
    });
  });

  it("makes plain frozen data that counts as a limit; copies of it do not", () => {
    const pool = make({});
    expect(JSON.parse(JSON.stringify(pool))).toEqual(pool);
    expect(isLimit(pool)).toBe(true);
    expect(isLimit({ ...pool })).toBe(false);
    for (const part of [
      pool,
      pool.capacity,
      pool.classes,
      pool.guaranteed,
      pool.guaranteed.requests,
    ])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it.each([
    { what: "above 1 by their sum", shares: { a: 0.6, b: 0.8 }, amounts: [43, 57, 0] },
    { what: "not below 1", shares: { a: 0.5, b: 0.2, c: 0.05 }, amounts: [50, 20, 5, 25] },
    { what: "not at 1", shares: { a: 0.1, b: 0.2, c: 0.7 }, amounts: [10, 20, 70, 0] },
  ])("scales shares $what", ({ shares, amounts }) => {
    expect(make({ shares }).guaranteed.requests).toEqual(amounts);
  });

  it("counts a default share in the sum, and leaves the rest to nobody", () => {
    expect(make({ shares: { a: 0.9 }, defaultShare: 0.9 }).guaranteed.requests).toEqual([50, 50]);
    expect(make({ defaultShare: 0.05 }).guaranteed.requests).toEqual([25, 5]);
  });

  it("takes amounts of one unit, which hold for the other units in proportion", () => {
    const capacity = { requests: 1_000, tokens: 2_000_000 };
    const shares = { a: { requests: 900 }, b: { tokens: 100_000 } };
    expect(make({ capacity, shares }).guaranteed).toEqual({
      requests: [900, 50, 50],
      tokens: [1_800_000, 100_000, 100_000],
    });
  });

  it.each([
    { shares: { a: { tokens: 5 } }, path: "shares.a" },
    { shares: { a: { requests: 5, tokens: 5 } }, path: "shares.a" },
    { shares: { a: {} }, path: "shares.a" },
    { shares: { a: { requests: 101 } }, path: "shares.a.requests" },
    { shares: { a: { requests: -1 } }, path: "shares.a.requests" },
    { shares: { a: { requests: 0.5 } }, path: "shares.a.requests" },
    { shares: { a: 1.5 }, path: "shares.a" },
    { shares: { a: -0.1 }, path: "shares.a" },
    { shares: { a: Number.NaN }, path: "shares.a" },
    { shares: { a: "0.5" }, path: "shares.a" },
    { shares: { a: null }, path: "shares.a" },
    { shares: { default: 0.5 }, path: "shares.default" },
    { shares: { "a b": 0.5 }, path: "shares.a b" },
    { shares: { "": 0.5 }, path: "shares." },
    { shares: undefined, path: "shares" },
    { shares: [0.5], path: "shares" },
    { defaultShare: 2, path: "defaultShare" },
    { defaultShare: { points: 1 }, path: "defaultShare" },
    { capacity: undefined, path: "capacity" },
    { capacity: {}, path: "capacity" },
    { capacity: { requests: 1.5 }, path: "capacity.requests" },
    { capacity: { requests: -1 }, path: "capacity.requests" },
    { capacity: { slots: 5 }, path: "capacity.slots" },
    { capacity: { Tokens: 5 }, path: "capacity.Tokens" },
    { capacity: { requests: 150_119_987_580 }, path: "capacity.requests" },
    { saturationThreshold: 1.1, path: "saturationThreshold" },
    { saturationThreshold: -0.1, path: "saturationThreshold" },
    { saturationThreshold: 0.12345, path: "saturationThreshold" },
    { saturationThreshold: "0.5", path: "saturationThreshold" },
    { whenSaturated: "generous", path: "whenSaturated" },
    { windowMs: 0, path: "windowMs" },
    { tracking_multiplier: 10, path: "tracking_multiplier" },
  ])("refuses $path of %j", ({ path, ...options }) => {
    expect(problemPathsOf(() => make(options))).toEqual([path]);
  });

  it("takes the largest capacity whose product with the window stays below 2^53", () => {
    expect(make({ capacity: { requests: 150_119_987_579 } }).capacity.requests).toBe(
      150_119_987_579,
    );
  });

  it("refuses more classes with a share than units of capacity", () => {
    const shares = { a: 0.1, b: 0.1, c: 0 };
    expect(() => make({ capacity: { requests: 1 }, shares })).toThrow(
      "capacity.requests: expected at least as many requests as classes with a share (2), " +
        "received 1",
    );
    expect(make({ capacity: { requests: 2 }, shares }).guaranteed.requests).toHaveLength(4);
  });

  it("takes no shares from a list or a map, which would be a pool without classes", () => {
    const entries = [["a", 0.5]] as const;
    for (const shares of [entries, new Map(entries), new Set(entries), new Date(0)]) {
      expect(problemPathsOf(() => make({ shares: shares as never }))).toEqual(["shares"]);
    }
    const bare = Object.assign(Object.create(null), { a: 0.5 });
    expect(make({ shares: bare }).classes).toEqual(["a", "default"]);
  });

  it("refuses more classes than a check can look at", () => {
    const shares = Object.fromEntries(
      Array.from({ length: 65 }, (_, index) => [`c${index}`, 0.001]),
    );
    expect(problemPathsOf(() => make({ shares }))).toEqual(["shares"]);
  });

  it("has a default name that is a name, however many and long the units are", () => {
    const units = Array.from({ length: 8 }, (_, index) => [`${"u".repeat(31)}${index}`, 10]);
    expect(make({ capacity: Object.fromEntries(units) }).name).toBe("priority-pool-60s");
  });
});

describe("Guaranteed amounts", () => {
  const anyShares = fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 }).map((parts) =>
    parts.map(
      (part) =>
        part /
        Math.max(
          1,
          100,
          parts.reduce((a, b) => a + b),
        ),
    ),
  );
  const anyMax = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 10_000_000 }));

  it("sum to what the shares sum to, and each is its part rounded up or down", () => {
    fc.assert(
      fc.property(anyShares, anyMax, (shares, max) => {
        const amounts = amountsOf(shares, max);
        const sum = shares.reduce((total, share) => total + share, 0) * max;
        expect(amounts.reduce((total, amount) => total + amount, 0)).toBe(Math.floor(sum + 1e-6));
        for (const [place, amount] of amounts.entries()) {
          expect(Math.abs(amount - (shares[place] as number) * max)).toBeLessThan(1 + 1e-6);
        }
      }),
    );
  });

  it("go to the earlier class where remainders are equal, to the default class last", () => {
    expect(amountsOf([0.25, 0.25, 0.5], 2)).toEqual([1, 0, 1]);
    expect(amountsOf([0.14, 0.86], 10)).toEqual([1, 9]);
    expect(make({ capacity: { requests: 2 } }).guaranteed.requests).toEqual([1, 1]);
  });
});

describe("The units of a pool", () => {
  const pool = make({ capacity: { tokens: 7, requests: 5 }, saturationThreshold: 0.5 });

  it("are the same objects for the same class, in one order", () => {
    expect(poolUnitsOf(pool, 0)).toBe(poolUnitsOf(pool, 0));
    expect(poolUnitsOf(pool, 1).map(({ unit, ownClass }) => [unit, ownClass])).toEqual([
      ["requests", 1],
      ["tokens", 1],
    ]);
  });

  it.each([
    ["a", 0],
    ["default", 1],
    ["unknown", 1],
    ["constructor", 1],
    ["", 1],
    [undefined, 1],
  ])("are those of the class of priority %s", (priority, place) => {
    expect(classOf(pool, priority)).toBe(place);
  });

  it("have exact thresholds also where products exceed 2^53", () => {
    const windowMs = 2 ** 33;
    const unit = { thresholdParts: 3_333, max: 999_999, windowMs, guaranteed: [999_999] };
    expect(thresholdsOf(unit)).toEqual({
      free: 333_299,
      freeForNone: 333_300,
      skipped: [Number((999_999n * 2n ** 33n * 3_333n + 9_999n) / 10_000n)],
    });
  });
});
