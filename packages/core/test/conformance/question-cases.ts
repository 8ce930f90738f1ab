import {
  concurrency,
  type Descriptor,
  fixedWindow,
  type Limit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { everyCounter, LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";
import type { StoreTrial } from "./store-trial";

const DAY_MS = 86_400_000;

/** One limit of each kind, of `max` each, with names that say the kind. */
function oneOfEach(max: number): readonly Limit[] {
  const counters = everyCounter.map(({ what, make }) =>
    make(max, LONG_MS, { name: what.replaceAll(" ", "-") }),
  );
  return [...counters, concurrency({ name: "slots", max })];
}

/** Subjects that lie in different hash slots, most likely, and have one limit of each kind. */
function manySubjects(at: StoreTrial, max: number): Descriptor[] {
  return oneOfEach(max).map((limit) => at.descriptor([limit]));
}

/** Of questions about several limits and several subjects. */
export const questionCases: readonly StoreCase[] = [
  {
    name: "charges every limit of a subject, or none",
    run: async (at) => {
      const question = at.question(oneOfEach(3));
      const permit = await at.admit(question);
      at.expect(await at.used(question)).toEqual([1, 1, 1, 1, 1, 1]);
      for (const [place, full] of oneOfEach(0).entries()) {
        const limits = oneOfEach(3).map((limit, index) => (index === place ? full : limit));
        const refused = { descriptors: [{ ...question.descriptors[0], limits } as Descriptor] };
        await at.refuse(refused);
        at.expect(await at.used(question)).toEqual([1, 1, 1, 1, 1, 1]);
      }
      await permit.refund();
      at.expect(await at.used(question)).toEqual([0, 0, 0, 0, 0, 0]);
    },
  },
  {
    name: "charges every subject of a question, or none in the end",
    run: async (at) => {
      const descriptors = manySubjects(at, 3);
      const question = { descriptors };
      const permit = await at.admit(question);
      at.expect(await at.used(question)).toEqual([1, 1, 1, 1, 1, 1]);
      for (const [place, full] of oneOfEach(0).entries()) {
        const refused = descriptors.map((descriptor, index) =>
          index === place ? { ...descriptor, limits: [full] } : descriptor,
        );
        const { violated } = await at.refuse({ descriptors: refused });
        at.expect(violated.map(({ name }) => name)).toEqual([full.name]);
        await at.expectUsed(question, [1, 1, 1, 1, 1, 1]);
      }
      await permit.refund();
      await at.expectUsed(question, [0, 0, 0, 0, 0, 0]);
    },
  },
  {
    name: "admits exactly the smallest max of questions about many subjects that come together",
    run: async (at) => {
      const narrow = at.descriptor([fixedWindow({ max: 4, windowMs: LONG_MS })]);
      const wide = at.descriptor([slidingLog({ max: 100, windowMs: LONG_MS })]);
      const slots = at.descriptor([concurrency({ max: 50 })]);
      const question = { descriptors: [narrow, wide, slots] };
      const verdicts = await Promise.all(
        Array.from({ length: 30 }, () => at.limiter.admit(question)),
      );
      const admitted = verdicts.filter((verdict) => verdict.admitted).length;
      at.expect(admitted).toBe(4);
      await at.expectUsed(question, [4, 4, 4]);
    },
  },
  {
    name: "tells every violated limit, the foremost reason and the longest wait",
    run: async (at) => {
      const limits = [
        concurrency({ name: "slots", max: 1 }),
        fixedWindow({ name: "hour", max: 1, windowMs: 3_600_000 }),
        fixedWindow({ name: "day", max: 1, windowMs: DAY_MS }),
        fixedWindow({ name: "free", max: 9, windowMs: DAY_MS }),
      ];
      const question = at.question(limits);
      await at.admit(question);
      const { reason, violated, retryAfterMs } = await at.refuse(question);
      at.expect(reason).toBe("window_exhausted");
      at.expect(violated.map(({ name }) => name)).toEqual(["slots", "hour", "day"]);
      at.expect(retryAfterMs).toBe(violated[2]?.retryAfterMs);
      at.expect(retryAfterMs).toBeGreaterThan(3_600_000);
    },
  },
  {
    name: "judges and charges the same in whatever order the checks come",
    run: async (at) => {
      const orders = [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
        [2, 0, 3, 1],
      ];
      const outcomes: unknown[] = [];
      for (const order of orders) outcomes.push(await playInOrder(at, order));
      at.expect(outcomes[1]).toEqual(outcomes[0]);
      at.expect(outcomes[2]).toEqual(outcomes[0]);
    },
  },
  {
    name: "starts fresh, and says so, where a name stands for another shape",
    run: async (at) => {
      const id = at.freshId();
      const window = fixedWindow({ name: "limit", max: 5, windowMs: LONG_MS });
      const shapes: readonly Limit[] = [
        window,
        slidingLog({ name: "limit", max: 5, windowMs: DAY_MS }),
        slidingWindow({ name: "limit", max: 5, windowMs: LONG_MS, buckets: 4 }),
        slidingWindow({ name: "limit", max: 5, windowMs: LONG_MS, buckets: 5 }),
        tokenBucket({ name: "limit", capacity: 5, refill: 1, perMs: DAY_MS }),
        window,
      ];
      for (const [turn, limit] of shapes.entries()) {
        const question = { descriptors: [at.descriptor([limit], id)], cost: { requests: 2 } };
        await at.admit(question);
        at.expect(await at.used(question), limit.kind).toEqual([2]);
        const replaced = at.events.filter(({ type }) => type === "state_replaced");
        at.expect(replaced.length, limit.kind).toBe(turn);
      }
    },
  },
  {
    name: "keeps limits that a question does not name",
    run: async (at) => {
      const id = at.freshId();
      const of = (name: string) => ({
        descriptors: [at.descriptor([fixedWindow({ name, max: 5, windowMs: LONG_MS })], id)],
      });
      await at.admit(of("a"));
      await at.admit(of("b"));
      await at.admit(of("b"));
      at.expect([await at.used(of("a")), await at.used(of("b"))]).toEqual([[1], [2]]);
    },
  },
  {
    name: "takes max from each question",
    run: async (at) => {
      const id = at.freshId();
      const of = (max: number) => ({
        descriptors: [at.descriptor([fixedWindow({ name: "a", max, windowMs: LONG_MS })], id)],
      });
      await at.admit(of(2));
      await at.admit(of(2));
      await at.refuse(of(2));
      await at.admit(of(3));
      await at.refuse(of(1));
      at.expect(await at.used(of(9))).toEqual([3]);
    },
  },
  {
    name: "refuses what is asked after it was closed",
    run: async (at) => {
      const limiter = at.openLimiter();
      await limiter.close();
      const verdict = await limiter.admit(at.question(oneOfEach(1)));
      at.expect(verdict).toMatchObject({
        admitted: false,
        rejection: { reason: "store_unavailable" },
      });
    },
  },
];

/** Admits twice and refuses once, with the checks of the third subject full; what came of it. */
async function playInOrder(at: StoreTrial, order: readonly number[]): Promise<unknown> {
  const subjects = [
    at.descriptor([fixedWindow({ max: 5, windowMs: LONG_MS })]),
    at.descriptor([slidingLog({ max: 9, windowMs: DAY_MS }), concurrency({ max: 2 })]),
    at.descriptor([tokenBucket({ capacity: 2, refill: 1, perMs: DAY_MS })]),
    at.descriptor([slidingWindow({ max: 4, windowMs: LONG_MS, buckets: 4 })]),
  ];
  const descriptors = order.map((index) => subjects[index] as Descriptor);
  const verdicts: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const verdict = await at.limiter.admit({ descriptors });
    const reason = verdict.admitted ? undefined : verdict.rejection.reason;
    const used = verdict.statuses.map(({ name, used, admitted }) => [name, used, admitted]);
    verdicts.push([verdict.admitted, reason, used.sort()]);
  }
  await at.expectUsed({ descriptors: subjects }, [2, 2, 2, 2, 2]);
  return verdicts;
}
