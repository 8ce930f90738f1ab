import { fixedWindow, type Limit, slidingLog, slidingWindow, tokenBucket } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { setStage, startsMs } from "../stage";

const WINDOW_MS = 600;
const max = fc.integer({ min: 1, max: 12 });
const attempts = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constantFrom(0, 1, 50, 59, 60, 61, 599, 600), fc.nat({ max: 200 })),
    cost: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 120, size: "max" },
);

interface Charge {
  readonly atMs: number;
  readonly cost: number;
}

describe("The guarantee printed in the docs of", () => {
  it("fixedWindow: at most max per window, at most twice max in any interval", async () => {
    await fc.assert(
      fc.asyncProperty(max, attempts, fc.boolean(), async (most, all, isEpoch) => {
        const anchor = isEpoch ? "epoch" : "first-request";
        const limit = fixedWindow({ max: most, windowMs: WINDOW_MS, anchor });
        const charges = await admittedOf(limit, all);
        expect(mostWithin(WINDOW_MS, charges)).toBeLessThanOrEqual(2 * most);
        if (isEpoch) {
          const windows = new Map<number, number>();
          for (const { atMs, cost } of charges) {
            const window = Math.floor(atMs / WINDOW_MS);
            windows.set(window, (windows.get(window) ?? 0) + cost);
          }
          for (const used of windows.values()) expect(used).toBeLessThanOrEqual(most);
        }
      }),
      runs(60),
    );
  });

  it("slidingWindow and slidingLog: never more than max in any interval of windowMs", async () => {
    const buckets = fc.constantFrom(1, 2, 10, 100);
    await fc.assert(
      fc.asyncProperty(max, attempts, buckets, async (most, all, count) => {
        const sliding = slidingWindow({ max: most, windowMs: WINDOW_MS, buckets: count });
        const log = slidingLog({ max: most, windowMs: WINDOW_MS });
        for (const limit of [sliding, log]) {
          const charges = await admittedOf(limit, all);
          expect(mostWithin(WINDOW_MS, charges)).toBeLessThanOrEqual(most);
        }
      }),
      runs(60),
    );
  });

  it("slidingLog: and refuses nothing that would fit", async () => {
    await fc.assert(
      fc.asyncProperty(max, attempts, async (most, all) => {
        const log = slidingLog({ max: most, windowMs: WINDOW_MS });
        const expected: Charge[] = [];
        let atMs: number = startsMs[1];
        for (const { afterMs, cost } of all) {
          atMs += afterMs;
          const live = expected.filter((charge) => charge.atMs > atMs - WINDOW_MS);
          if (sum(live) + cost <= most) expected.push({ atMs, cost });
        }
        expect(await admittedOf(log, all)).toEqual(expected);
      }),
      runs(60),
    );
  });

  it("tokenBucket: in any interval at most capacity and what the rate produces in it", async () => {
    const refill = fc.integer({ min: 1, max: 5 });
    const perMs = fc.constantFrom(7, 60, 300);
    await fc.assert(
      fc.asyncProperty(max, refill, perMs, attempts, async (most, rate, per, all) => {
        const limit = tokenBucket({ capacity: most, refill: rate, perMs: per });
        const charges = await admittedOf(limit, all);
        for (let first = 0; first < charges.length; first += 1) {
          let taken = 0;
          for (const { atMs, cost } of charges.slice(first)) {
            taken += cost;
            const produced = ((atMs - (charges[first]?.atMs ?? 0)) * rate) / per;
            expect(taken).toBeLessThanOrEqual(most + Math.ceil(produced));
          }
        }
      }),
      runs(60),
    );
  });

  it("tokenBucket: the long-run rate is exactly refill / perMs", async () => {
    const refill = fc.integer({ min: 1, max: 7 });
    const perMs = fc.constantFrom(70, 110, 1_300);
    const stepMs = fc.constantFrom(1, 3, 7);
    // In a bucket of 1 what comes between two polls can overflow.
    const capacity = fc.integer({ min: 2, max: 12 });
    await fc.assert(
      fc.asyncProperty(capacity, refill, perMs, stepMs, async (most, rate, per, step) => {
        const limit = tokenBucket({ capacity: most, refill: rate, perMs: per });
        const polls = 3 * Math.ceil(per / step);
        const all = Array.from({ length: polls }, (_, index) => ({
          afterMs: index === 0 ? 0 : step,
          cost: 1,
        }));
        // Asking until refused at every instant takes all there is, so nothing overflows.
        const burst = Array.from({ length: most }, () => ({ afterMs: 0, cost: 1 }));
        const greedy = [...burst, ...all.flatMap((poll) => [poll, { afterMs: 0, cost: 1 }])];
        const charges = await admittedOf(limit, greedy);
        const passedMs = (polls - 1) * step;
        expect(charges.length).toBe(most + Math.floor((passedMs * rate) / per));
      }),
      runs(30),
    );
  });
});

/** What of some attempts is admitted on a realistic clock. */
async function admittedOf(
  limit: Limit,
  all: readonly { readonly afterMs: number; readonly cost: number }[],
): Promise<Charge[]> {
  const { limiter, clock } = setStage({ startMs: startsMs[1] });
  const descriptors = [{ kind: "key", id: "k", limits: [limit] }];
  const charges: Charge[] = [];
  for (const { afterMs, cost } of all) {
    clock.advance(afterMs);
    const verdict = await limiter.admit({ descriptors, cost: { requests: cost } });
    if (verdict.admitted) charges.push({ atMs: clock.nowMs(), cost });
  }
  await limiter.close();
  return charges;
}

/** The most that was charged in an interval of this length, the end not included. */
function mostWithin(lengthMs: number, charges: readonly Charge[]): number {
  const within = charges.map(({ atMs: startMs }) =>
    sum(charges.filter(({ atMs }) => startMs <= atMs && atMs < startMs + lengthMs)),
  );
  return Math.max(0, ...within);
}

function sum(charges: readonly Charge[]): number {
  return charges.reduce((total, { cost }) => total + cost, 0);
}
