import { priorityPool } from "@sluice/core";
import { describe, expect, it } from "vitest";
import {
  type Arrival,
  admittedBy,
  burst,
  poolOf100,
  questionTo,
  standing,
  steady,
  together,
  WINDOW_MS,
} from "../pool/traffic";
import { setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

interface Row {
  readonly what: string;
  readonly shares: Readonly<Record<string, number>>;
  readonly defaultShare?: number;
  readonly threshold?: number;
  readonly arrivals: readonly Arrival[];
  readonly admitted: Readonly<Record<string, number>>;
}

const ab = { a: 0.75, b: 0.25 };
const four = ["a", "b", "c", "d"];

/** The table 2.8: what the reference system does to the same traffic. */
const table: readonly Row[] = [
  {
    what: "D5: 1 a, then 100 b",
    shares: ab,
    arrivals: [...burst("a", 1), ...burst("b", 100)],
    admitted: { a: 1, b: 49 },
  },
  {
    what: "D6: 200 a, then 200 b",
    shares: ab,
    arrivals: [...burst("a", 200), ...burst("b", 200)],
    admitted: { a: 75, b: 25 },
  },
  {
    what: "D6: 200 a and 200 b in turn",
    shares: ab,
    arrivals: together(burst("a", 200), burst("b", 200)),
    admitted: { a: 75, b: 25 },
  },
  {
    what: "200 b, then 200 a",
    shares: ab,
    arrivals: [...burst("b", 200), ...burst("a", 200)],
    admitted: { a: 50, b: 50 },
  },
  {
    what: "D7: 150 each of one class and three callers without one",
    shares: { a: 0.75 },
    defaultShare: 0.25,
    arrivals: four.flatMap((caller) => burst(caller, 150)),
    admitted: { a: 75, b: 25, c: 0, d: 0 },
  },
  {
    what: "D8: shares above 1",
    shares: { a: 0.6, b: 0.8 },
    arrivals: [...burst("a", 200), ...burst("b", 200)],
    admitted: { a: 50, b: 50 },
  },
  {
    what: "D9: shares below 1",
    shares: { a: 0.5, b: 0.2, c: 0.05 },
    defaultShare: 0.05,
    arrivals: four.flatMap((caller) => burst(caller, 150)),
    admitted: { a: 50, b: 20, c: 5, d: 5 },
  },
  {
    what: "a lone class of 0.25",
    shares: { a: 0.25 },
    arrivals: burst("a", 200),
    admitted: { a: 50 },
  },
  {
    what: "a lone class of 0.75",
    shares: { a: 0.75 },
    arrivals: burst("a", 200),
    admitted: { a: 75 },
  },
  {
    what: "a lone class of 0.25 and a threshold of 0.8",
    shares: { a: 0.25 },
    threshold: 0.8,
    arrivals: burst("a", 200),
    admitted: { a: 80 },
  },
];

describe("A strict pool does what the reference system does:", () => {
  it.each(table)("$what", async ({ shares, defaultShare, threshold, arrivals, admitted }) => {
    const pool = poolOf100({
      shares,
      whenSaturated: "strict",
      ...(defaultShare === undefined ? {} : { defaultShare }),
      ...(threshold === undefined ? {} : { saturationThreshold: threshold }),
    });
    const stage = setStage();
    expect(await admittedBy(stage, pool, arrivals)).toEqual(admitted);
    await stage.limiter.close();
  });

  it("D1, D2: amounts are of the class, and not divided by its users", async () => {
    const pool = priorityPool({
      ...{ capacity: { tokens: 1_000 }, windowMs: WINDOW_MS, shares: { high: 0.9, low: 0.1 } },
    });
    expect(pool.guaranteed).toEqual({ tokens: [900, 100, 0] });
  });

  it("D3: a pool of requests and tokens guarantees a class its part of both", () => {
    const pool = priorityPool({
      ...{ capacity: { tokens: 1_000, requests: 500 }, windowMs: WINDOW_MS },
      shares: { high: 0.9, low: 0.1 },
    });
    expect(pool.guaranteed).toEqual({ tokens: [900, 100, 0], requests: [450, 50, 0] });
  });

  it("D8: shares that sum to more than 1 are scaled by their sum", () => {
    expect(poolOf100({ shares: { a: 0.6, b: 0.8 } }).guaranteed).toEqual({
      requests: [43, 57, 0],
    });
    const large = priorityPool({
      ...{ capacity: { requests: 10_000 }, windowMs: 1_000, shares: { a: 0.6, b: 0.8 } },
    });
    expect(large.guaranteed).toEqual({ requests: [4_286, 5_714, 0] });
  });

  it("D10: a thousand callers without a share have one pool together, a class has its own", async () => {
    const pool = poolOf100({
      ...{ shares: { prod: 0.75 }, defaultShare: 0.25 },
      ...{ whenSaturated: "strict", saturationThreshold: 0 },
    });
    const stage = setStage();
    const others = Array.from({ length: 1_000 }, (_, user) => ({
      priority: `user-${user}`,
      atMs: 0,
    }));
    expect(sum(await admittedBy(stage, pool, others))).toBe(25);
    expect(await admittedBy(stage, pool, burst("prod", 200))).toEqual({ prod: 75 });
    await stage.limiter.close();
  });

  it("1 000 users of one class share one pool", async () => {
    const pool = poolOf100({
      ...{ shares: { prod: 0.4, test: 0.6 }, whenSaturated: "strict", saturationThreshold: 0 },
    });
    const stage = setStage();
    expect(await admittedBy(stage, pool, burst("prod", 1_000))).toEqual({ prod: 40 });
    await stage.limiter.close();
  });

  it("D13: a refusal names the class, the ceiling, what it has used and what remains", async () => {
    const pool = priorityPool({
      ...{ name: "gpt", capacity: { requests: 10_000 }, windowMs: WINDOW_MS },
      ...{ shares: { prod: 0.5 }, whenSaturated: "strict" },
    });
    const stage = setStage();
    const first = await stage.limiter.admit(questionTo(pool, "prod", { requests: 5_000 }));
    expectAdmitted(first);
    const rejection = expectRejected(
      await stage.limiter.admit(questionTo(pool, "prod")),
      "share_exhausted",
    );
    expect(rejection).toMatchObject({
      retryAfterMs: WINDOW_MS,
      violated: [
        {
          ...{ name: "gpt", unit: "requests", max: 10_000, used: 5_000, remaining: 5_000 },
          pool: {
            ...{ class: "prod", guaranteed: 5_000, used: 5_000 },
            ...{ saturation: 0.5, ceiling: "share" },
          },
        },
      ],
    });
    await stage.limiter.close();
  });

  it.each(["strict", "lend"] as const)(
    "D14: a pool of tokens only binds: recorded 100 of 100, the next is refused (%s)",
    async (whenSaturated) => {
      const pool = priorityPool({
        ...{ capacity: { tokens: 100 }, windowMs: WINDOW_MS, shares: { a: 0.5 }, whenSaturated },
      });
      const stage = setStage();
      const unknown = { requests: 1 };
      const permit = expectAdmitted(await stage.limiter.admit(questionTo(pool, "a", unknown)));
      await permit.settle({ tokens: 100 });
      for (const priority of ["a", "b"]) {
        const rejected = await stage.limiter.admit(questionTo(pool, priority, unknown));
        expect(expectRejected(rejected, "window_exhausted").retryAfterMs).toBe(WINDOW_MS);
      }
      await stage.clock.advanceAsync(WINDOW_MS);
      expectAdmitted(await stage.limiter.admit(questionTo(pool, "a", unknown)));
      await stage.limiter.close();
    },
  );

  it("D14: a class is held to its share of the tokens that were recorded", async () => {
    const pool = priorityPool({
      ...{ capacity: { tokens: 100 }, windowMs: WINDOW_MS, shares: { a: 0.25, b: 0.75 } },
      ...{ whenSaturated: "strict" },
    });
    const stage = setStage();
    for (const tokens of [20, 40]) {
      const permit = expectAdmitted(
        await stage.limiter.admit(questionTo(pool, "a", { tokens: 10 })),
      );
      await permit.settle({ tokens });
    }
    const next = await stage.limiter.admit(questionTo(pool, "a", { tokens: 0 }));
    expectRejected(next, "share_exhausted");
    expectAdmitted(await stage.limiter.admit(questionTo(pool, "b", { tokens: 40 })));
    await stage.limiter.close();
  });

  it("D15: saturation is judged in the same step, for every process", async () => {
    const pool = poolOf100({ shares: ab, whenSaturated: "strict" });
    const stage = setStage();
    const other = stage.openProcess();
    for (let asked = 0; asked < 25; asked += 1) {
      for (const limiter of [stage.limiter, other]) {
        expectAdmitted(await limiter.admit(questionTo(pool, "b")));
      }
    }
    for (const limiter of [stage.limiter, other]) {
      expectRejected(await limiter.admit(questionTo(pool, "b")), "share_exhausted");
    }
    await other.close();
    await stage.limiter.close();
  });
});

describe("A pool that lends", () => {
  it("lets a lone class of 0.25 with twice the demand use the capacity", async () => {
    const pool = poolOf100({ shares: { a: 0.25 } });
    const stage = setStage();
    const { a = 0 } = await admittedBy(stage, pool, steady("a", 200));
    expect(a).toBeGreaterThanOrEqual(98);
    expect(a).toBeLessThanOrEqual(100);
    await stage.limiter.close();
  });

  it("leaves nothing unused where shares sum to less than 1", async () => {
    const pool = poolOf100({ shares: { a: 0.5, b: 0.2, c: 0.05 }, defaultShare: 0.05 });
    const stage = setStage();
    const arrivals = together(...four.map((caller) => steady(caller, 150)));
    const total = sum(await admittedBy(stage, pool, arrivals));
    expect(total).toBeGreaterThanOrEqual(98);
    expect(total).toBeLessThanOrEqual(100);
    await stage.limiter.close();
  });

  it("gives a class that comes at half of the window half of what it is guaranteed", async () => {
    const pool = poolOf100({ shares: ab });
    const stage = setStage();
    const arrivals = together(steady("b", 400), burst("a", 200, WINDOW_MS / 2));
    const { a = 0, b = 0 } = await admittedBy(stage, pool, arrivals);
    expect(a).toBeGreaterThanOrEqual(37);
    expect(a + b).toBe(100);
    await stage.limiter.close();
  });

  it.each([1.05, 1.5, 4])(
    "with threshold 0 and steady demand of %d shares each class ends within 1 of its share",
    async (times) => {
      const shares = { a: 0.5, b: 0.3, c: 0.2 };
      const pool = poolOf100({ shares, saturationThreshold: 0 });
      const stage = setStage();
      const streams = Object.entries(shares).map(([name, share]) =>
        steady(name, Math.ceil(share * 100 * times)),
      );
      const admitted = await admittedBy(stage, pool, together(...streams));
      for (const [name, share] of Object.entries(shares)) {
        expect(Math.abs((admitted[name] ?? 0) - share * 100), name).toBeLessThanOrEqual(1);
      }
      await stage.limiter.close();
    },
  );

  it.each([1, 2, 3, 4, 10])("lets a lone class use up a capacity of %d", async (requests) => {
    for (const saturationThreshold of [0, 0.1, 0.5, 0.8]) {
      const pool = poolOf100({ capacity: { requests }, shares: { a: 0.25 }, saturationThreshold });
      const stage = setStage();
      const { a } = await admittedBy(stage, pool, steady("a", 200));
      expect(a, `threshold ${saturationThreshold}`).toBe(requests);
      await stage.limiter.close();
    }
  });

  it("opens a window for a class without a share, which is refused at first", async () => {
    const pool = poolOf100({ shares: { a: 1 }, saturationThreshold: 0 });
    const stage = setStage();
    const refused = await stage.limiter.admit(questionTo(pool));
    // A millisecond later a may still claim 99.
    expect(expectRejected(refused, "share_exhausted").retryAfterMs).toBe(1);
    await stage.clock.advanceAsync(1);
    expectAdmitted(await stage.limiter.admit(questionTo(pool)));
    expect(await standing(stage.limiter, pool)).toMatchObject([{ used: 1 }]);
    await stage.limiter.close();
  });
});
