import {
  type Cost,
  concurrency,
  createLimiter,
  fixedWindow,
  InvalidOptionsError,
  type Limit,
  type LimiterPermit,
  memoryStore,
  PermitStateError,
  priorityPool,
  type Question,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { anyQuestion, FakeClock, nastyIds, seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";

/** Any value at all: what JSON, environment variables and mistakes bring, and stranger things. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    -0,
    0,
    0.5,
    2 ** 53,
    "",
    "100",
    "ten",
    "enforce",
    "epoch",
    true,
    [],
    {},
    new Array(1),
    () => 1,
    Symbol("junk"),
    ...nastyIds,
  ),
  fc.integer({ min: 0, max: 100 }),
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
);

const optionNames = [
  "unit",
  "max",
  "windowMs",
  "anchor",
  "buckets",
  "capacity",
  "refill",
  "perMs",
  "leaseMs",
  "maxHoldMs",
  "name",
  "mode",
  "clock",
  "random",
  "recorder",
  "maxKeys",
  "units",
  "onStoreUnavailable",
  "storeUnavailableRetryAfterMs",
  "__proto__",
  "limit",
];

/** Options of which some are junk, and what is no options object at all. */
const junkOptions = (good: Readonly<Record<string, unknown>>) =>
  fc.oneof(
    fc
      .dictionary(fc.constantFrom(...optionNames, ...Object.keys(good)), junk, { maxKeys: 3 })
      .map((spoiled) => ({ ...good, ...spoiled })),
    junk,
  );

const limitFactories: Readonly<
  Record<string, readonly [make: (options: never) => Limit, good: Record<string, unknown>]>
> = {
  fixedWindow: [fixedWindow, { max: 3, windowMs: 1_000 }],
  slidingWindow: [slidingWindow, { max: 3, windowMs: 1_000 }],
  slidingLog: [slidingLog, { max: 3, windowMs: 1_000 }],
  tokenBucket: [tokenBucket, { capacity: 3, refill: 1, perMs: 1_000 }],
  concurrency: [concurrency, { max: 3 }],
};

/** What a call came to: its result, or `undefined` if it was refused as bad input. */
function outcomeOf<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return undefined;
  }
}

async function outcomeLater<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return undefined;
  }
}

describe("Junk given to", () => {
  for (const [name, [make, good]] of Object.entries(limitFactories)) {
    it(`${name} is refused, or makes a limit that admits at most its max`, async () => {
      const admitsAtMostMax = async (options: unknown) => {
        const limit = outcomeOf(() => make(options as never));
        if (limit === undefined) return;
        expect(Number.isSafeInteger(limit.max) && limit.max >= 0).toBe(true);
        const clock = new FakeClock();
        const units = [...new Set(["requests", limit.unit])].filter((unit) => unit !== "slots");
        const limiter = createLimiter({ clock, random: seededRandom(1), units });
        const cost = limit.unit === "slots" ? {} : { [limit.unit]: 1 };
        const descriptors = [{ kind: "key", id: "k", limits: [limit] }];
        let admitted = 0;
        const asked = Math.min(limit.max, 200) + 2;
        for (let count = 0; count < asked; count += 1) {
          if ((await limiter.admit({ descriptors, cost })).admitted) admitted += 1;
        }
        const isShadow = limit.mode === "shadow";
        expect(admitted).toBe(isShadow ? asked : Math.min(asked, limit.max));
        await limiter.close();
      };
      await fc.assert(fc.asyncProperty(junkOptions(good), admitsAtMostMax), runs(300));
    });
  }

  it("priorityPool is refused, or makes a pool that admits at most its capacity", async () => {
    const good = { windowMs: 1_000, capacity: { requests: 5 }, shares: { a: 0.5 } };
    const admitsAtMostCapacity = async (options: unknown) => {
      const pool = outcomeOf(() => priorityPool(options as never));
      if (pool === undefined) return;
      const units = Object.keys(pool.capacity);
      const limiter = createLimiter({ clock: new FakeClock(), random: seededRandom(1), units });
      const cost = Object.fromEntries(units.map((unit) => [unit, 1]));
      const descriptors = [{ kind: "key", id: "k", limits: [pool] }];
      const most = Math.min(...Object.values(pool.capacity));
      let admitted = 0;
      for (let count = 0; count < Math.min(most, 200) + 2; count += 1) {
        if ((await limiter.admit({ descriptors, cost })).admitted) admitted += 1;
      }
      if (pool.mode === "enforce") expect(admitted).toBeLessThanOrEqual(most);
      await limiter.close();
    };
    await fc.assert(fc.asyncProperty(junkOptions(good), admitsAtMostCapacity), runs(300));
  });

  it("memoryStore and createLimiter is refused, or makes one that works", async () => {
    const clock = new FakeClock();
    const makers = [
      (options: unknown) => createLimiter({ clock, store: memoryStore(options as never) }),
      (options: unknown) => createLimiter(options as never),
    ];
    const limit = fixedWindow({ max: 1, windowMs: 3_600_000 });
    const question = { descriptors: [{ kind: "key", id: "k", limits: [limit] }] };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...makers),
        junkOptions({ clock }),
        async (make, options) => {
          const limiter = outcomeOf(() => make(options));
          if (limiter === undefined) return;
          // Units of its own may not include requests: then the question is what is wrong.
          const first = await outcomeLater(() => limiter.admit(question));
          const second = await outcomeLater(() => limiter.admit(question));
          if (first !== undefined) expect(first.admitted).toBe(true);
          if (second !== undefined) expect(second.admitted).toBe(false);
          await limiter.close();
        },
      ),
      runs(500),
    );
  });

  it("admit and peek anywhere in a question is refused, or judged within the limits", async () => {
    const cap = 5;
    await fc.assert(
      fc.asyncProperty(
        anyQuestion({ costMax: 3 }),
        fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 3 }),
        async (question, spoilings) => {
          const clock = new FakeClock();
          const limiter = createLimiter({ clock, random: seededRandom(1) });
          const bound = fixedWindow({ name: "bound", max: cap, windowMs: 3_600_000 });
          const own = { kind: "own", id: "k", limits: [bound] };
          const asked = { ...question, descriptors: [...question.descriptors, own] };
          let spoiled: unknown = asked;
          for (const [place, value] of spoilings) spoiled = withJunk(spoiled, place, value);
          const peeked = await outcomeLater(() => limiter.peek(spoiled as Question));
          const verdict = await outcomeLater(() => limiter.admit(spoiled as Question));
          expect(verdict?.admitted).toBe(peeked?.admitted);
          for (const { used, max, remaining } of verdict?.statuses ?? []) {
            expect(Number.isSafeInteger(used) && Number.isSafeInteger(max)).toBe(true);
            expect(remaining).toBe(Math.max(0, max - used));
            if (verdict?.admitted === true) expect(used).toBeLessThanOrEqual(max);
          }
          // Whatever was asked, the next ones are counted: never more than the cap in all.
          for (let count = 0; count < cap; count += 1) {
            await limiter.admit({ descriptors: [own] });
          }
          expect((await limiter.admit({ descriptors: [own] })).admitted).toBe(false);
          await limiter.close();
        },
      ),
      runs(1_000),
    );
  });

  it("settle and usage is refused and leaves the permit open, or is a correction", async () => {
    const limits = [
      fixedWindow({ name: "requests", max: 1_000, windowMs: 3_600_000 }),
      tokenBucket({ name: "tokens", unit: "tokens", capacity: 1_000, refill: 1, perMs: 1_000 }),
      concurrency({ name: "slots", max: 1 }),
    ];
    const question = { descriptors: [{ kind: "key", id: "k", limits }], cost: { tokens: 10 } };
    const cost = fc.oneof(
      fc.dictionary(fc.constantFrom("requests", "tokens", "slots", "__proto__", "x"), junk),
      junk,
    );
    const close = async (permit: LimiterPermit, actual: Cost, isNoted: boolean) => {
      try {
        if (isNoted) permit.usage(actual);
        else await permit.settle(actual);
      } catch (error) {
        if (!(error instanceof PermitStateError)) throw error;
        expect(permit.isClosed).toBe(false);
      }
      await permit.finish();
    };
    await fc.assert(
      fc.asyncProperty(cost, fc.boolean(), async (actual, isNoted) => {
        const limiter = createLimiter({ clock: new FakeClock(), random: seededRandom(1) });
        const verdict = await limiter.admit(question);
        if (!verdict.admitted) throw new Error("expected to be admitted");
        await close(verdict.permit, actual as Cost, isNoted);
        expect(verdict.permit.isClosed).toBe(true);
        for (const { used } of (await limiter.peek(question)).statuses) {
          expect(Number.isSafeInteger(used) && used >= 0).toBe(true);
        }
        expect((await limiter.peek(question)).statuses[2]?.used).toBe(0);
        await limiter.close();
      }),
      runs(500),
    );
  });
});

/** The value with one of its parts, however deep, replaced by junk; `place` chooses the part. */
function withJunk(value: unknown, place: number, replacement: unknown): unknown {
  const isOpen = typeof value === "object" && value !== null && !Object.isFrozen(value);
  const entries = isOpen ? Object.entries(value) : [];
  if (entries.length === 0) return replacement;
  const chosen = place % (entries.length + 1);
  const rest = Math.floor(place / (entries.length + 1));
  const [name, part] = entries[chosen] ?? [];
  if (name === undefined) return replacement;
  const spoiled = rest % 2 === 0 ? withJunk(part, Math.floor(rest / 2), replacement) : replacement;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === name ? spoiled : each));
  return { ...(value as object), [name]: spoiled };
}
