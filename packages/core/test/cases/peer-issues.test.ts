import {
  concurrency,
  fixedWindow,
  type Limit,
  type LimiterPermit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { eventsOf, setStage, startsMs } from "../stage";
import { setFaultyStage } from "../store/faulty-stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { admittedAt, every, expectAttempts, questionOf, rejectionOf, usedOf } from "./attempts";

/** Every kind that counts a unit, of one size. */
function counting(max: number, windowMs: number): readonly Limit[] {
  return [
    fixedWindow({ name: "limit", max, windowMs }),
    fixedWindow({ name: "limit", max, windowMs, anchor: "epoch" }),
    slidingWindow({ name: "limit", max, windowMs }),
    slidingLog({ name: "limit", max: Math.min(max, 1_000), windowMs }),
    tokenBucket({ name: "limit", capacity: max, refill: max, perMs: windowMs }),
  ];
}

describe("7.4.2: 10 per second and 100 per minute, asked 20 times a second for a minute", () => {
  it("admit exactly the lesser of both, and the minute counts only what was admitted", async () => {
    const on = setStage();
    const limits = [
      fixedWindow({ name: "second", max: 10, windowMs: 1_000 }),
      fixedWindow({ name: "minute", max: 100, windowMs: 60_000 }),
    ];
    const admitted = await admittedAt(on, limits, every(50, 1_200));
    expect(admitted).toHaveLength(100);
    expect(admitted.at(-1)).toBe(9_450);
    expect((await usedOf(on, limits))[1]).toBe(100);
    for (let second = 0; second < 10; second += 1) {
      const inSecond = admitted.filter((at) => Math.floor(at / 1_000) === second);
      expect(inSecond).toHaveLength(10);
    }
  });

  it("admit 10 in every second where the minute does not bind", async () => {
    const on = setStage();
    const limits = [
      fixedWindow({ name: "second", max: 10, windowMs: 1_000 }),
      fixedWindow({ name: "minute", max: 1_000, windowMs: 60_000 }),
    ];
    expect(await admittedAt(on, limits, every(50, 1_200))).toHaveLength(600);
    expect((await usedOf(on, limits))[1]).toBe(600);
  });
});

describe("7.4.3: costs of 9, 9 and 1 of 10", () => {
  it.each(counting(10, 60_000))("are admitted, refused, admitted: $kind", async (limit) => {
    await expectAttempts(
      setStage(),
      [limit],
      [
        [0, 9, 200],
        [0, 9, 429],
        [0, 1, 200],
      ],
    );
  });
});

describe("7.4.4: 1 000 questions at once", () => {
  it.each([...counting(5, 1_000), concurrency({ max: 5 })])(
    "at 5 per second admit exactly 5: $kind",
    async (limit) => {
      const on = setStage();
      const asked = Array.from({ length: 1_000 }, () => on.limiter.admit(questionOf([limit])));
      const verdicts = await Promise.all(asked);
      expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(5);
      expect(await usedOf(on, [limit])).toEqual([5]);
      await on.limiter.close();
    },
  );
});

describe.each(startsMs)("7.4.5 and 7.4.10: windows from instant %d", (startMs) => {
  const windowsMs = [500, 1_500, 30 * 86_400_000];

  it.each(
    windowsMs.flatMap((windowMs) => counting(2, windowMs).map((limit) => ({ windowMs, limit }))),
  )(
    "refuse until the told wait is over and admit then: $limit.kind of $windowMs ms",
    async ({ windowMs, limit }) => {
      const on = setStage({ startMs });
      await expectAttempts(
        on,
        [limit],
        [
          [0, 1, 200],
          [windowMs / 10, 1, 200],
          [windowMs / 10, 1, 429],
        ],
      );
      const { retryAfterMs = 0, retryable } = await rejectionOf(on, [limit]);
      expect(retryable).toBe(true);
      expect(Number.isInteger(retryAfterMs)).toBe(true);
      expect(retryAfterMs).toBeGreaterThanOrEqual(1);
      expect(retryAfterMs).toBeLessThanOrEqual(windowMs * 1.1);
      await expectAttempts(
        on,
        [limit],
        [
          [retryAfterMs - 1, 1, 429],
          [retryAfterMs, 1, 200],
        ],
      );
    },
  );
});

// Nothing may be left behind by whatever follows on whatever: all sequences of three.
describe("7.4.6: every key expires", () => {
  type Act = (permits: LimiterPermit[]) => Promise<unknown>;
  const limits = [
    fixedWindow({ name: "fixed", max: 9, windowMs: 100 }),
    slidingWindow({ name: "window", max: 9, windowMs: 100 }),
    slidingLog({ name: "log", unit: "tokens", max: 9, windowMs: 150 }),
    tokenBucket({ name: "bucket", unit: "tokens", capacity: 9, refill: 1, perMs: 70 }),
    concurrency({ name: "slots", max: 3, leaseMs: 80, maxHoldMs: 200 }),
  ];

  it("after every sequence of three commands", async () => {
    const on = setStage();
    const question = { ...questionOf(limits), cost: { requests: 2, tokens: 2 } };
    const acts: readonly Act[] = [
      async (permits) => {
        const verdict = await on.limiter.admit(question);
        if (verdict.admitted) permits.push(verdict.permit);
      },
      (permits) => permits.shift()?.settle({ requests: 20, tokens: 20 }) ?? Promise.resolve(),
      (permits) => permits.shift()?.settle({ requests: 1, tokens: 0 }) ?? Promise.resolve(),
      (permits) => permits.pop()?.release() ?? Promise.resolve(),
      (permits) => permits.pop()?.refund() ?? Promise.resolve(),
      () => on.limiter.peek(question),
      () => on.limiter.reset(question),
      () => on.clock.advanceAsync(120),
    ];
    for (const first of acts) {
      for (const second of acts) {
        for (const third of acts) {
          const permits: LimiterPermit[] = [];
          await acts[0]?.(permits);
          for (const act of [first, second, third]) await act(permits);
          await on.clock.runUntilIdle();
          expect(on.store.size).toBe(0);
          for (const permit of permits) await permit.settle({ requests: 5 });
          await on.clock.runUntilIdle();
          expect(on.store.size).toBe(0);
        }
      }
    }
  });
});

describe("7.4.8: a slot is back, once,", () => {
  const slots = [concurrency({ max: 1 })];
  const question = questionOf(slots);

  it("when the handler finished, failed, or threw at once", async () => {
    const on = setStage();
    const handlers: readonly (() => unknown)[] = [
      () => "answer",
      async () => "answer",
      () => {
        throw new Error("failed");
      },
      async () => {
        throw new Error("failed");
      },
    ];
    for (const handler of handlers) {
      await on.limiter.run(question, handler).catch((error: Error) => {
        expect(error.message).toBe("failed");
      });
      expect(await usedOf(on, slots)).toEqual([0]);
    }
    expect(eventsOf(on, "permit_closed").map(({ how }) => how)).toEqual([
      "released",
      "released",
      "refunded",
      "refunded",
    ]);
  });

  it("when the handler gave it back itself", async () => {
    const on = setStage();
    await on.limiter.run(question, (permit) => permit.release());
    await on.limiter.run(question, (permit) => permit.refund());
    expect(await usedOf(on, slots)).toEqual([0]);
    expect(eventsOf(on, "permit_closed")).toHaveLength(2);
  });

  it("when the client left before the question was asked: none was taken", async () => {
    const on = setStage();
    const signal = AbortSignal.abort();
    expectRejected(await on.limiter.admit({ ...question, signal }), "aborted");
    expect(await usedOf(on, slots)).toEqual([0]);
    expect(on.store.size).toBe(0);
  });

  it("when the client left while the store was asked", async () => {
    const { limiter, faulty, events } = setFaultyStage();
    const limits = [...slots, fixedWindow({ max: 5, windowMs: 60_000 })];
    const leaving = new AbortController();
    const answer = faulty.holdAnswers("admit");
    const asked = limiter.admit({ ...questionOf(limits), signal: leaving.signal });
    leaving.abort();
    answer();
    expectRejected(await asked, "aborted");
    expect(await usedOf({ limiter }, limits)).toEqual([0, 0]);
    expect(limiter.heldLeases).toBe(0);
    expect(events.filter(({ type }) => type === "verdict")).toHaveLength(1);
  });

  it("when the client leaves during the handler, and the handler ends later", async () => {
    const on = setStage();
    const leaving = new AbortController();
    const permit = expectAdmitted(await on.limiter.admit({ ...question, signal: leaving.signal }));
    leaving.signal.addEventListener("abort", () => void permit.release());
    leaving.abort();
    expect(await usedOf(on, slots)).toEqual([0]);
    const next = expectAdmitted(await on.limiter.admit(question));
    await permit.release();
    expect(await usedOf(on, slots)).toEqual([1]);
    await next.release();
    expect(await usedOf(on, slots)).toEqual([0]);
  });
});

describe("7.4.9: 10 reserved and 4 used across the end of a window", () => {
  it.each(counting(10, 1_000))(
    "is refunded into the window charged or nowhere: $kind",
    async (limit) => {
      const on = setStage();
      await on.clock.advanceAsync(900);
      const permit = expectAdmitted(await on.limiter.admit(questionOf([limit], "k", 10)));
      await on.clock.advanceAsync(1_100);
      expect(await usedOf(on, [limit])).toEqual([0]);
      expectAdmitted(await on.limiter.admit(questionOf([limit], "k", 7)));
      await permit.settle({ requests: 4 });
      expect(await usedOf(on, [limit])).toEqual([7]);
    },
  );

  it.each(counting(10, 1_000))("is refunded while the window lasts: $kind", async (limit) => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf([limit], "k", 10)));
    await permit.settle({ requests: 4 });
    expect(await usedOf(on, [limit])).toEqual([4]);
  });
});
