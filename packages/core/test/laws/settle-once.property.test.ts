import {
  fixedWindow,
  type Limit,
  type LimiterPermit,
  PermitStateError,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { play } from "../scenario/play";
import { scenario } from "../scenario/scenario-arbitrary";
import { standingsOf } from "../scenario/standing";
import { eventsOf, type Stage, setStage, startsMs } from "../stage";
import { expectAdmitted } from "../verdicts";

const WINDOW_MS = 1_000;
const startMs = fc.constantFrom(...startsMs);
const units = fc.nat({ max: 40 });
const charged = fc.integer({ min: 1, max: 40 });

/** The limits whose charges count until a known instant, and how long after a charge that is. */
const windows = [
  { limit: fixedWindow({ unit: "tokens", max: 40, windowMs: WINDOW_MS }), lastMs: WINDOW_MS },
  { limit: slidingLog({ unit: "tokens", max: 40, windowMs: WINDOW_MS }), lastMs: WINDOW_MS },
  {
    limit: slidingWindow({ unit: "tokens", max: 40, windowMs: WINDOW_MS, buckets: 1 }),
    lastMs: 2 * WINDOW_MS,
  },
] as const;
const window = fc.constantFrom(...windows);

describe("Law 5, reserve, then settle, once:", () => {
  it("within its window a settled charge counts as if the real cost had been charged", async () => {
    const heldMs = fc.nat({ max: WINDOW_MS - 1 });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        window,
        charged,
        units,
        heldMs,
        async (at, of, cost, real, held) => {
          const on = setStage({ startMs: alignedTo(at) });
          const permit = await charge(on, of.limit, cost);
          await on.clock.advanceAsync(held);
          await permit.settle({ tokens: real });
          expect(await used(on, of.limit)).toBe(real);
          await on.clock.advanceAsync(of.lastMs - held);
          expect(await used(on, of.limit)).toBe(0);
          await on.limiter.close();
        },
      ),
      runs(100),
    );
  });

  it("a refund reaches only the window it was charged to", async () => {
    const lateMs = fc.nat({ max: WINDOW_MS });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        window,
        charged,
        charged,
        lateMs,
        async (at, of, cost, next, late) => {
          const on = setStage({ startMs: alignedTo(at) });
          const permit = await charge(on, of.limit, cost);
          await on.clock.advanceAsync(of.lastMs + late);
          await charge(on, of.limit, next);
          await permit.refund();
          expect(await used(on, of.limit)).toBe(next);
          await on.limiter.close();
        },
      ),
      runs(100),
    );
  });

  it("a refund does not reach what was charged after a reset, also at the same instant", async () => {
    const limits: Limit[] = [...windows.map(({ limit }) => limit), bucket(1)];
    await fc.assert(
      fc.asyncProperty(
        startMs,
        fc.constantFrom(...limits),
        charged,
        charged,
        async (at, limit, cost, next) => {
          const on = setStage({ startMs: at });
          const permit = await charge(on, limit, cost);
          await on.limiter.reset({ descriptors: [subject(limit)] });
          expect(await used(on, limit)).toBe(0);
          await charge(on, limit, next);
          await permit.refund();
          expect(await used(on, limit)).toBe(next);
          await on.limiter.close();
        },
      ),
      runs(60),
    );
  });

  it("a cost beyond the reservation becomes debt in the current window once the charged is over", async () => {
    const extra = fc.integer({ min: 1, max: 100 });
    const lateMs = fc.nat({ max: 5 * WINDOW_MS });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        window,
        charged,
        extra,
        lateMs,
        async (at, of, cost, more, late) => {
          const on = setStage({ startMs: alignedTo(at) });
          const permit = await charge(on, of.limit, cost);
          await on.clock.advanceAsync(of.lastMs + late);
          await permit.settle({ tokens: cost + more });
          expect(await used(on, of.limit)).toBe(more);
          const verdict = await on.limiter.admit(questionOn(of.limit, 1));
          expect(verdict.admitted).toBe(more < of.limit.max);
          await on.clock.advanceAsync(2 * WINDOW_MS);
          expect(await used(on, of.limit)).toBe(0);
          await on.limiter.close();
        },
      ),
      runs(100),
    );
  });

  it("a token bucket gives back what the rate has not produced since the charge", async () => {
    const refill = fc.integer({ min: 1, max: 9 });
    const heldMs = fc.nat({ max: 3_000 });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        refill,
        charged,
        units,
        heldMs,
        async (at, rate, cost, other, held) => {
          const on = setStage({ startMs: at });
          const limit = bucket(rate);
          const permit = await charge(on, limit, cost);
          const rest = Math.min(other, 40 - cost);
          if (rest > 0) await charge(on, limit, rest);
          await on.clock.advanceAsync(held);
          const produced = Math.floor((held * rate) / 70);
          const before = Math.max(0, cost + rest - produced);
          expect(await used(on, limit)).toBe(before);
          await permit.refund();
          expect(await used(on, limit)).toBe(Math.max(0, before - Math.max(0, cost - produced)));
          await on.limiter.close();
        },
      ),
      runs(100),
    );
  });

  it("a token bucket may owe, and pays back at its rate", async () => {
    const extra = fc.integer({ min: 1, max: 200 });
    await fc.assert(
      fc.asyncProperty(startMs, charged, extra, async (at, cost, more) => {
        const on = setStage({ startMs: at });
        const limit = bucket(1);
        const permit = await charge(on, limit, cost);
        await permit.settle({ tokens: cost + more });
        expect(await used(on, limit)).toBe(cost + more);
        await on.clock.advanceAsync(70 * (cost + more) - 1);
        expect(await used(on, limit)).toBe(1);
        await on.clock.advanceAsync(1);
        expect(await used(on, limit)).toBe(0);
        await on.limiter.close();
      }),
      runs(60),
    );
  });

  it("the first close wins, and every further one changes nothing", async () => {
    const how = fc.constantFrom("settle", "release", "refund", "finish");
    const closes = fc.array(fc.record({ how, tokens: units }), { minLength: 1, maxLength: 6 });
    const limits: Limit[] = [...windows.map(({ limit }) => limit), bucket(1)];
    const less = fc.integer({ min: 1, max: 39 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...limits), less, closes, async (limit, cost, all) => {
        const on = setStage();
        const permit = await charge(on, limit, cost);
        await charge(on, limit, 40 - cost);
        const [first, ...further] = all;
        expect(permit.isClosed).toBe(false);
        await close(permit, first);
        expect(permit.isClosed).toBe(true);
        const once = await used(on, limit);
        for (const again of further) await close(permit, again);
        await Promise.all(further.map((again) => close(permit, again)));
        expect(await used(on, limit)).toBe(once);
        expect(eventsOf(on, "permit_closed")).toHaveLength(1);
        await on.limiter.close();
      }),
      runs(60),
    );
  });

  it("only the first of many closes in one turn counts", async () => {
    for (const { limit } of windows) {
      const on = setStage();
      const permit = await charge(on, limit, 10);
      await charge(on, limit, 20);
      await Promise.all([permit.settle({ tokens: 4 }), permit.refund(), permit.release()]);
      expect(await used(on, limit)).toBe(24);
      await on.limiter.close();
    }
  });

  it("nothing that is used or remains is ever negative or beyond the bounds", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const { stage } = await play(drawn, async (_action, answer, on) => {
          for (const { used: count, resetAfterMs } of (await standingsOf(drawn, on)).values()) {
            expect(count).toBeGreaterThanOrEqual(0);
            expect(resetAfterMs).toBeGreaterThanOrEqual(0);
          }
          for (const status of answer?.statuses ?? []) {
            expect(status.remaining).toBe(Math.max(0, status.max - status.used));
          }
        });
        await stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("a settle with a bad cost throws and leaves the permit open", async () => {
    const bad = fc.constantFrom<unknown>(-1, 0.5, Number.NaN, Infinity, "1", null);
    await fc.assert(
      fc.asyncProperty(bad, window, async (cost, { limit }) => {
        const on = setStage();
        const permit = await charge(on, limit, 5);
        const settling = permit.settle({ tokens: cost as number });
        await expect(settling).rejects.toThrow(PermitStateError);
        await expect(permit.settle({ images: 1 })).rejects.toThrow(PermitStateError);
        expect(() => permit.usage({ tokens: cost as number })).toThrow(PermitStateError);
        expect(permit.isClosed).toBe(false);
        await permit.settle({ tokens: 2 });
        expect(await used(on, limit)).toBe(2);
        await on.limiter.close();
      }),
      runs(20),
    );
  });

  it("finish settles the last usage noted, refunds if asked to, and else releases", async () => {
    for (const { limit } of windows) {
      const on = setStage();
      const noted = await charge(on, limit, 10);
      noted.usage({ tokens: 1 });
      noted.usage({ tokens: 3 });
      await noted.finish();
      expect(await used(on, limit)).toBe(3);
      const silent = await charge(on, limit, 5);
      await silent.finish();
      expect(await used(on, limit)).toBe(8);
      const unserved = await charge(on, limit, 20);
      unserved.usage({ tokens: 2 });
      unserved.refundAtEnd();
      await unserved.finish();
      expect(await used(on, limit)).toBe(8);
      await on.limiter.close();
    }
  });
});

/** A bucket of 40 tokens that refills `refill` every 70 ms. */
function bucket(refill: number): Limit {
  return tokenBucket({ unit: "tokens", capacity: 40, refill, perMs: 70 });
}

/** An instant at which a sliding window of one bucket begins. */
function alignedTo(at: number): number {
  return at - (at % WINDOW_MS);
}

function subject(limit: Limit) {
  return { kind: "key", id: "k", limits: [limit] };
}

function questionOn(limit: Limit, tokens: number) {
  return { descriptors: [subject(limit)], cost: { tokens } };
}

async function charge(on: Stage, limit: Limit, tokens: number): Promise<LimiterPermit> {
  return expectAdmitted(await on.limiter.admit(questionOn(limit, tokens)));
}

async function used(on: Stage, limit: Limit): Promise<number | undefined> {
  return (await on.limiter.peek(questionOn(limit, 0))).statuses[0]?.used;
}

async function close(
  permit: LimiterPermit,
  by: { readonly how: string; readonly tokens: number } | undefined,
): Promise<void> {
  if (by?.how === "settle") await permit.settle({ tokens: by.tokens });
  if (by?.how === "release") await permit.release();
  if (by?.how === "refund") await permit.refund();
  if (by?.how === "finish") await permit.finish();
}
