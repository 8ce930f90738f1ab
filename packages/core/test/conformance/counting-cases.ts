import { fixedWindow, tokenBucket } from "@sluice/core";
import { everyCounter, LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";

/** Of every limit that counts units: whom it admits. */
export const admittingCases: readonly StoreCase[] = everyCounter.flatMap(({ what, make }) => [
  {
    name: `a ${what} admits up to max, tells where it stands, and refuses beyond`,
    run: async (at) => {
      const question = at.question([make(3, LONG_MS)]);
      for (const used of [1, 2, 3]) {
        const { admitted, statuses } = await at.limiter.admit(question);
        at.expect(admitted).toBe(true);
        at.expect(statuses).toMatchObject([{ used, remaining: 3 - used, admitted: true }]);
      }
      const { reason, retryable, retryAfterMs = 0, violated } = await at.refuse(question);
      at.expect([reason, retryable, violated.length]).toEqual(["window_exhausted", true, 1]);
      at.expect(retryAfterMs).toBeGreaterThan(0);
      at.expect(retryAfterMs).toBeLessThanOrEqual(2 * LONG_MS);
    },
  },
  {
    name: `a ${what} counts for every process`,
    run: async (at) => {
      const question = at.question([make(2, LONG_MS)]);
      const other = at.openLimiter();
      await at.admit(question);
      at.expect((await other.admit(question)).admitted).toBe(true);
      await at.refuse(question);
      at.expect((await other.admit(question)).admitted).toBe(false);
    },
  },
  {
    name: `a ${what} is not charged by what it refuses`,
    run: async (at) => {
      const question = at.question([make(3, LONG_MS)], { requests: 2 });
      await at.admit(question);
      for (let tries = 0; tries < 3; tries += 1) await at.refuse(question);
      at.expect(await at.used(question)).toEqual([2]);
      await at.admit({ ...question, cost: { requests: 1 } });
    },
  },
  {
    name: `a ${what} admits exactly its max of questions that come together`,
    run: async (at) => {
      const question = at.question([make(5, LONG_MS)]);
      const others = [at.limiter, at.openLimiter()];
      const verdicts = await Promise.all(
        Array.from({ length: 60 }, (_, index) => others[index % 2]?.admit(question)),
      );
      at.expect(verdicts.filter((verdict) => verdict?.admitted).length).toBe(5);
      at.expect(await at.used(question)).toEqual([5]);
    },
  },
]);

/** Of every limit that counts units: when it admits again, and the ends of its numbers. */
export const boundaryCases: readonly StoreCase[] = everyCounter.flatMap(({ what, make }) => [
  {
    name: `a ${what} tells a wait that is over when it says so`,
    run: async (at) => {
      const question = at.question([make(1, 400)]);
      // Asked together, so that no time passes in between.
      const [, second] = await Promise.all([
        at.limiter.admit(question),
        at.limiter.admit(question),
      ]);
      if (second.admitted) throw new Error("expected a rejection");
      const { retryAfterMs = 0 } = second.rejection;
      at.expect(retryAfterMs).toBeGreaterThan(0);
      if (at.isTimeExact) {
        await at.pass(retryAfterMs - 1);
        at.expect((await at.refuse(question)).retryAfterMs).toBe(1);
        await at.pass(1);
      } else {
        await at.pass(retryAfterMs);
      }
      await at.admit(question);
    },
  },
  {
    name: `a ${what} of max 0 admits nothing, and no wait helps`,
    run: async (at) => {
      const limit = make(0, LONG_MS);
      for (const requests of [0, 1]) {
        const rejection = await at.refuse(at.question([limit], { requests }));
        at.expect(rejection).toMatchObject({ reason: "cost_exceeds_limit", retryable: false });
        at.expect("retryAfterMs" in rejection).toBe(false);
      }
    },
  },
  {
    name: `a ${what} never admits a cost above max`,
    run: async (at) => {
      const question = at.question([make(3, LONG_MS)], { requests: 4 });
      const { reason, retryable } = await at.refuse(question);
      at.expect([reason, retryable]).toEqual(["cost_exceeds_limit", false]);
      at.expect(await at.used(question)).toEqual([0]);
    },
  },
  {
    name: `a ${what} admits cost 0 while there is room, and counts nothing for it`,
    run: async (at) => {
      const question = at.question([make(1, LONG_MS)], { requests: 0 });
      await at.admit(question);
      await at.admit(question);
      at.expect(await at.used(question)).toEqual([0]);
      await at.admit({ ...question, cost: { requests: 1 } });
      await at.refuse(question);
    },
  },
]);

/** Of every limit that counts units: looking, forgetting, and trying it out. */
export const lookingCases: readonly StoreCase[] = everyCounter.flatMap(({ what, make }) => [
  {
    name: `a ${what} is not changed by a peek, which tells what admit would`,
    run: async (at) => {
      const question = at.question([make(1, LONG_MS)]);
      for (let look = 0; look < 3; look += 1) {
        at.expect(await at.limiter.peek(question)).toMatchObject({
          admitted: true,
          statuses: [{ used: 0, resetAfterMs: 0 }],
        });
      }
      await at.admit(question);
      const peek = await at.limiter.peek(question);
      at.expect(peek).toMatchObject({
        admitted: false,
        rejection: { reason: "window_exhausted", violated: [{ used: 1 }] },
      });
    },
  },
  {
    name: `a ${what} is empty after a reset`,
    run: async (at) => {
      const question = at.question([make(2, LONG_MS)], { requests: 2 });
      const permit = await at.admit(question);
      await at.limiter.reset(question);
      at.expect(await at.used(question)).toEqual([0]);
      await at.admit(question);
      // What was charged before belongs to nothing that is there.
      await permit.refund();
      at.expect(await at.used(question)).toEqual([2]);
    },
  },
  {
    name: `a ${what} in shadow refuses nobody, and tells whom it would have`,
    run: async (at) => {
      const shadow = make(1, LONG_MS, { name: "shadow", mode: "shadow" });
      const question = at.question([shadow, make(3, LONG_MS, { name: "enforced" })]);
      const told: unknown[] = [];
      for (let hit = 0; hit < 3; hit += 1) {
        const { statuses } = await at.limiter.admit(question);
        told.push(statuses.map(({ used, wouldReject }) => [used, wouldReject === true]));
      }
      at.expect(told).toEqual([
        [
          [1, false],
          [1, false],
        ],
        [
          [1, true],
          [2, false],
        ],
        [
          [1, true],
          [3, false],
        ],
      ]);
      const { violated } = await at.refuse(question);
      at.expect(violated.map(({ name }) => name)).toEqual(["enforced"]);
    },
  },
]);

const LARGE = 2 ** 40;

/** Of numbers that do not fit into 32 bits. */
export const largeNumberCases: readonly StoreCase[] = [
  {
    name: "counts to 2^40 and back, exactly",
    run: async (at) => {
      const limits = [
        fixedWindow({ unit: "tokens", max: LARGE, windowMs: LONG_MS }),
        tokenBucket({ unit: "tokens", capacity: LARGE, refill: 1, perMs: 8_000 }),
      ];
      const question = at.question(limits, { tokens: LARGE - 1 });
      const permit = await at.admit(question);
      at.expect(await at.used(question)).toEqual([LARGE - 1, LARGE - 1]);
      await at.refuse({ ...question, cost: { tokens: 2 } });
      await at.admit({ ...question, cost: { tokens: 1 } });
      await permit.settle({ tokens: 1 });
      const [window, bucket = 0] = await at.used(question);
      at.expect(window).toBe(2);
      at.expect(bucket).toBeLessThanOrEqual(2);
    },
  },
];
