import {
  concurrency,
  fixedWindow,
  InvalidOptionsError,
  type Limit,
  type Question,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";

const limit = fixedWindow({ max: 2, windowMs: 60_000 });
const good: Question = { descriptors: [{ kind: "key", id: "k", limits: [limit] }] };

/** A question with one thing wrong, and where the error has to say it. */
const bad: readonly (readonly [path: string, question: unknown])[] = [
  ["question", undefined],
  ["question", null],
  ["question", "k"],
  ["descriptors", {}],
  ["descriptors", { descriptors: undefined }],
  ["descriptors", { descriptors: good.descriptors[0] }],
  ["descriptors", { descriptors: "key" }],
  ["descriptors", { descriptors: [] }],
  ["descriptors", { descriptors: new Array(17).fill(good.descriptors[0]) }],
  ["descriptors[0]", { descriptors: [undefined] }],
  ["descriptors[0]", { descriptors: new Array(1) }],
  ["descriptors[0]", { descriptors: ["key"] }],
  ["descriptors[0].kind", { descriptors: [{ id: "k", limits: [limit] }] }],
  ["descriptors[0].kind", { descriptors: [{ kind: "", id: "k", limits: [limit] }] }],
  ["descriptors[0].kind", { descriptors: [{ kind: "a:b", id: "k", limits: [limit] }] }],
  ["descriptors[0].kind", { descriptors: [{ kind: "__proto__", id: "k", limits: [limit] }] }],
  ["descriptors[0].id", { descriptors: [{ kind: "key", limits: [limit] }] }],
  ["descriptors[0].id", { descriptors: [{ kind: "key", id: "", limits: [limit] }] }],
  ["descriptors[0].id", { descriptors: [{ kind: "key", id: ["k", ""], limits: [limit] }] }],
  ["descriptors[0].limits", { descriptors: [{ kind: "key", id: "k" }] }],
  ["descriptors[0].limits", { descriptors: [{ kind: "key", id: "k", limits: [] }] }],
  ["descriptors[0].limits", { descriptors: [{ kind: "key", id: "k", limits: limit }] }],
  ["descriptors[0].limits[0]", { descriptors: [{ kind: "key", id: "k", limits: [null] }] }],
  ["descriptors[0].limits[0]", { descriptors: [{ kind: "key", id: "k", limits: new Array(1) }] }],
  ["descriptors[0].limits[0]", { descriptors: [{ kind: "key", id: "k", limits: [{ ...limit }] }] }],
  [
    "descriptors[0].limits[1].name",
    { descriptors: [{ kind: "key", id: "k", limits: [limit, limit] }] },
  ],
  ["descriptors[1]", { descriptors: [good.descriptors[0], good.descriptors[0]] }],
  ["cost", { ...good, cost: null }],
  ["cost", { ...good, cost: 5 }],
  ["cost", { ...good, cost: [5] }],
  ["cost.requests", { ...good, cost: { requests: Number.NaN } }],
  ["cost.requests", { ...good, cost: { requests: -1 } }],
  ["cost.requests", { ...good, cost: { requests: 0.5 } }],
  ["cost.requests", { ...good, cost: { requests: "1" } }],
  ["cost.requests", { ...good, cost: { requests: null } }],
  ["cost.requests", { ...good, cost: { requests: Number.POSITIVE_INFINITY } }],
  ["cost.slots", { ...good, cost: { slots: 1 } }],
  ["cost.hits", { ...good, cost: { hits: 1 } }],
  ["cost.constructor", { ...good, cost: { constructor: 1 } }],
  ["cost.__proto__", { ...good, cost: JSON.parse('{ "__proto__": 1 }') }],
  ["signal", { ...good, signal: null }],
  ["signal", { ...good, signal: "aborted" }],
  ["signal", { ...good, signal: { aborted: false } }],
  ["maxWaitMs", { ...good, maxWaitMs: -1 }],
  ["maxWaitMs", { ...good, maxWaitMs: 0.5 }],
  ["maxWaitMs", { ...good, maxWaitMs: Number.NaN }],
  ["maxWaitMs", { ...good, maxWaitMs: "1s" }],
  ["maxWaitMs", { ...good, maxWaitMs: null }],
  ["descriptor", { ...good, descriptor: {} }],
];

describe("A malformed question", () => {
  it.each(bad)(
    "is refused at %s, by admit and by peek, and charges nothing",
    async (path, junk) => {
      const on = setStage();
      const question = junk as Question;
      for (const asked of [on.limiter.admit(question), on.limiter.peek(question)]) {
        await expect(asked).rejects.toThrow(InvalidOptionsError);
        await expect(asked).rejects.toMatchObject({ problems: [{ path }] });
      }
      await expect(on.limiter.run(question, () => "ran")).rejects.toThrow(InvalidOptionsError);
      expect(on.store.size).toBe(0);
      expect(on.events).toEqual([]);
      expectAdmitted(await on.limiter.admit(good));
    },
  );

  it("never throws before its promise", () => {
    const on = setStage();
    for (const [, junk] of bad) {
      const question = junk as Question;
      for (const asked of [on.limiter.admit(question), on.limiter.peek(question)]) {
        expect(asked).toBeInstanceOf(Promise);
        asked.catch(() => {});
      }
    }
  });

  it("is refused each time, not only the first", async () => {
    const on = setStage();
    const limits = [limit, null as unknown as Limit];
    const question = { descriptors: [{ kind: "key", id: "k", limits }] };
    for (let times = 0; times < 3; times += 1) {
      await expect(on.limiter.admit(question)).rejects.toThrow(InvalidOptionsError);
    }
    limits.pop();
    expectAdmitted(await on.limiter.admit(question));
    limits.push(limit);
    await expect(on.limiter.admit(question)).rejects.toThrow(InvalidOptionsError);
    limits.pop();
    limits[0] = { ...limit, max: Number.NaN };
    await expect(on.limiter.admit(question)).rejects.toThrow(InvalidOptionsError);
  });
});

describe("An extreme question", () => {
  const limits: readonly Limit[] = [
    fixedWindow({ name: "limit", max: Number.MAX_SAFE_INTEGER, windowMs: 60_000 }),
    slidingWindow({ name: "limit", max: Number.MAX_SAFE_INTEGER, windowMs: 60_000 }),
    slidingLog({ name: "limit", max: 1_000, windowMs: 60_000 }),
    tokenBucket({ name: "limit", capacity: 9_007_199_254_740, refill: 1, perMs: 1_000 }),
  ];

  it.each(limits)("may cost as much as there is, once: $kind", async (each) => {
    const on = setStage();
    const question = {
      descriptors: [{ kind: "key", id: "k", limits: [each] }],
      cost: { requests: each.max },
    };
    const permit = expectAdmitted(await on.limiter.admit(question));
    expectRejected(
      await on.limiter.admit({ ...question, cost: { requests: 1 } }),
      "window_exhausted",
    );
    await permit.settle({ requests: Number.MAX_SAFE_INTEGER });
    const { statuses } = await on.limiter.peek(question);
    // A debt is bounded so that every wait stays an exact integer.
    const debtMax = each.kind === "token-bucket" ? each.max : Number.MAX_SAFE_INTEGER;
    expect(statuses[0]?.used).toBe(debtMax);
    expect(statuses[0]?.remaining).toBe(0);
    expect(Number.isSafeInteger(statuses[0]?.resetAfterMs)).toBe(true);
    await on.clock.advanceAsync(1);
    expectRejected(
      await on.limiter.admit({ ...question, cost: { requests: 1 } }),
      "window_exhausted",
    );
  });

  it.each(limits.filter(({ max }) => max < Number.MAX_SAFE_INTEGER))(
    "that costs more than there can be is never admitted: $kind",
    async (each) => {
      const on = setStage();
      const verdict = await on.limiter.admit({
        descriptors: [{ kind: "key", id: "k", limits: [each] }],
        cost: { requests: each.max + 1 },
      });
      expect(expectRejected(verdict, "cost_exceeds_limit").retryable).toBe(false);
      expect(on.store.size).toBe(0);
    },
  );

  it("has 16 descriptors of 16 limits with ids of 10 kB", async () => {
    const on = setStage();
    const sixteen = Array.from({ length: 16 }, (_, index) =>
      fixedWindow({ name: `limit-${index}`, max: 1, windowMs: 60_000 }),
    );
    const descriptors = Array.from({ length: 16 }, (_, index) => ({
      kind: "key",
      id: `${"{:}".repeat(3_400)}${index}`,
      limits: sixteen,
    }));
    expectAdmitted(await on.limiter.admit({ descriptors }));
    expect(expectRejected(await on.limiter.admit({ descriptors })).violated).toHaveLength(256);
    expect(on.store.size).toBe(16);
  });

  it("about slots takes one, whatever it costs", async () => {
    const on = setStage();
    const slots = [concurrency({ max: 2 })];
    const question = {
      descriptors: [{ kind: "key", id: "k", limits: slots }],
      cost: { requests: 1_000, tokens: 0 },
    };
    expectAdmitted(await on.limiter.admit(question));
    expectAdmitted(await on.limiter.admit({ ...question, cost: { requests: 0 } }));
    expectRejected(await on.limiter.admit(question), "concurrency_exhausted");
    await on.limiter.close();
  });
});
