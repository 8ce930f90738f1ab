import { fixedWindow, type Limit, slidingLog, slidingWindow, tokenBucket } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { type Stage, setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";

const MAX = 6;
const WINDOW_MS = 600;

/** Limits with the longest time for which a charge of theirs can count when nothing is owed. */
const limits: readonly { readonly limit: Limit; readonly longestMs: number }[] = [
  { limit: fixedWindow({ max: MAX, windowMs: WINDOW_MS }), longestMs: WINDOW_MS },
  { limit: fixedWindow({ max: MAX, windowMs: WINDOW_MS, anchor: "epoch" }), longestMs: WINDOW_MS },
  { limit: slidingLog({ max: MAX, windowMs: WINDOW_MS }), longestMs: WINDOW_MS },
  { limit: slidingWindow({ max: MAX, windowMs: WINDOW_MS, buckets: 4 }), longestMs: 750 },
  { limit: tokenBucket({ capacity: MAX, refill: 1, perMs: 100 }), longestMs: MAX * 100 },
];

/** Charges within less than any of the limits' times, so that nothing has ended before the step. */
const charges = fc.array(
  fc.record({ afterMs: fc.nat({ max: 40 }), cost: fc.integer({ min: 1, max: 2 }) }),
  { minLength: 1, maxLength: 5 },
);
const backMs = fc.oneof(fc.nat({ max: 200 }), fc.constantFrom(10_000, 3_600_000));

describe("A store whose clock is set back", () => {
  it("gives nothing back, and keeps nothing longer than if it had been charged now", async () => {
    const drawn = fc.constantFrom(...limits);
    await fc.assert(
      fc.asyncProperty(drawn, charges, backMs, async ({ limit, longestMs }, all, back) => {
        const on = await chargedStage(limit, all);
        const before = await standing(on, limit);
        on.clock.stepBack(back);
        const after = await standing(on, limit);
        expect(after.used).toBeGreaterThanOrEqual(before.used);
        expect(after.used).toBeLessThanOrEqual(MAX);
        expect(after.resetAfterMs).toBeLessThanOrEqual(longestMs);
        expect(after.resetAfterMs).toBeGreaterThan(0);
        await on.limiter.close();
      }),
      runs(150),
    );
  });

  it("still tells exact waits: what a refusal takes for now stays so", async () => {
    const drawn = fc.constantFrom(...limits);
    const cost = fc.integer({ min: 1, max: MAX });
    await fc.assert(
      fc.asyncProperty(drawn, charges, backMs, cost, async ({ limit }, all, back, requests) => {
        const on = await chargedStage(limit, all);
        on.clock.stepBack(back);
        const ask = () => on.limiter.admit(questionOn(limit, requests));
        const verdict = await ask();
        if (verdict.admitted) return;
        const { retryAfterMs } = expectRejected(verdict, "window_exhausted");
        expect(retryAfterMs).toBeGreaterThan(0);
        await on.clock.advanceAsync((retryAfterMs ?? 0) - 1);
        expect(expectRejected(await ask()).retryAfterMs).toBe(1);
        await on.clock.advanceAsync(1);
        expectAdmitted(await ask());
        await on.limiter.close();
      }),
      runs(150),
    );
  });

  it("also tells when a limit is reset that the question did not charge", async () => {
    const drawn = fc.constantFrom(...limits);
    await fc.assert(
      fc.asyncProperty(drawn, charges, backMs, async ({ limit }, all, back) => {
        const on = await chargedStage(limit, all);
        on.clock.stepBack(back);
        const [told] = (await on.limiter.admit(questionOn(limit, 0))).statuses;
        const waitMs = told?.resetAfterMs ?? 0;
        expect(waitMs).toBeGreaterThan(0);
        await on.clock.advanceAsync(waitMs - 1);
        expect((await standing(on, limit)).resetAfterMs).toBe(1);
        await on.clock.advanceAsync(1);
        expect((await standing(on, limit)).resetAfterMs).toBe(0);
        await on.limiter.close();
      }),
      runs(100),
    );
  });

  it("lets a refund take back no more than was charged", async () => {
    const drawn = fc.constantFrom(...limits);
    await fc.assert(
      fc.asyncProperty(drawn, charges, backMs, async ({ limit }, all, back) => {
        const on = await chargedStage(limit, all);
        const { used } = await standing(on, limit);
        const verdict = await on.limiter.admit(questionOn(limit, 1));
        if (!verdict.admitted) return;
        on.clock.stepBack(back);
        await verdict.permit.refund();
        const after = await standing(on, limit);
        expect(after.used).toBeGreaterThanOrEqual(used);
        expect(after.used).toBeLessThanOrEqual(used + 1);
        await on.limiter.close();
      }),
      runs(150),
    );
  });
});

async function chargedStage(
  limit: Limit,
  all: readonly { readonly afterMs: number; readonly cost: number }[],
): Promise<Stage> {
  const on = setStage({ startMs: 1_764_000_000_123 });
  for (const { afterMs, cost } of all) {
    on.clock.advance(afterMs);
    await on.limiter.admit(questionOn(limit, cost));
  }
  return on;
}

function questionOn(limit: Limit, requests: number) {
  return { descriptors: [{ kind: "key", id: "k", limits: [limit] }], cost: { requests } };
}

async function standing({ limiter }: Stage, limit: Limit) {
  const [status] = (await limiter.peek(questionOn(limit, 0))).statuses;
  if (status === undefined) throw new Error("a question about one limit has one status");
  return status;
}
