import { concurrency, fixedWindow, type Limit, slidingLog, tokenBucket } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { type Stage, setStage } from "../stage";
import { questionOf } from "./attempts";

/** Starts `count` jobs as early as the limits let them, and tells when each started. */
async function startAll(
  on: Stage,
  limits: readonly Limit[],
  { count, jobMs }: { readonly count: number; readonly jobMs: number },
): Promise<number[]> {
  const startedAt: number[] = [];
  while (startedAt.length < count) {
    const verdict = await on.limiter.admit(questionOf(limits));
    if (verdict.admitted) {
      startedAt.push(on.clock.nowMs());
      on.clock.after(jobMs, () => void verdict.permit.release());
    } else {
      await on.clock.advanceAsync(1);
    }
  }
  await on.limiter.close();
  return startedAt;
}

/** Lets `count` jobs wait for the limits, and tells when each started. */
async function waitAll(
  on: Stage,
  limits: readonly Limit[],
  { count, jobMs }: { readonly count: number; readonly jobMs: number },
): Promise<number[]> {
  const startedAt: number[] = [];
  for (let number = 0; number < count; number += 1) {
    void on.limiter.admit({ ...questionOf(limits), maxWaitMs: 10_000_000 }).then((verdict) => {
      if (!verdict.admitted) return;
      startedAt.push(on.clock.nowMs());
      on.clock.after(jobMs, () => void verdict.permit.release());
    });
  }
  await on.clock.advanceAsync(10_000_000);
  expect(on.limiter.stats().queued).toBe(0);
  await on.limiter.close();
  return startedAt;
}

/** The most starts in any interval [t, t + lengthMs). */
function densest(startedAt: readonly number[], lengthMs: number): number {
  const counts = startedAt.map(
    (from) => startedAt.filter((at) => at >= from && at < from + lengthMs).length,
  );
  return Math.max(...counts);
}

const fiveHundred = { count: 500, jobMs: 20 };
const slots = concurrency({ name: "slots", max: 10 });

describe("R078 (a): 500 jobs of 20 ms, 50 per second, 10 at a time", () => {
  it("start 50 per fixed window, in a second across a boundary up to twice as many", async () => {
    const limits = [fixedWindow({ name: "rate", max: 50, windowMs: 1_000 }), slots];
    const startedAt = await startAll(setStage(), limits, fiveHundred);
    const perWindow = new Map<number, number>();
    for (const at of startedAt) {
      const window = Math.floor(at / 1_000);
      perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
    }
    expect([...perWindow.values()]).toEqual(new Array(10).fill(50));
    expect(startedAt.at(-1)).toBeGreaterThanOrEqual(9_000);
    expect(startedAt.at(-1)).toBeLessThan(10_000);
    expect(densest(startedAt, 1_000)).toBeLessThanOrEqual(100);
  });

  it("start as early when they wait for the limits themselves", async () => {
    const limits = [slidingLog({ name: "rate", max: 50, windowMs: 1_000 }), slots];
    const startedAt = await waitAll(setStage(), limits, fiveHundred);
    expect(startedAt).toHaveLength(500);
    expect(densest(startedAt, 1_000)).toBe(50);
    expect(startedAt.at(-1)).toBeGreaterThanOrEqual(9_000);
    expect(startedAt.at(-1)).toBeLessThan(10_000);
  });

  it("start at most 50 in any second with a sliding log", async () => {
    const limits = [slidingLog({ name: "rate", max: 50, windowMs: 1_000 }), slots];
    const startedAt = await startAll(setStage(), limits, fiveHundred);
    expect(densest(startedAt, 1_000)).toBe(50);
    expect(startedAt.at(-1)).toBeGreaterThanOrEqual(9_000);
    expect(startedAt.at(-1)).toBeLessThan(10_000);
  });
});

describe("R078 (b): 10 per hour evenly, 20 waiting", () => {
  it("start one each 360 s, at the very instants that their waits named", async () => {
    const on = setStage();
    const limits = [tokenBucket({ capacity: 1, refill: 10, perMs: 3_600_000 })];
    const startedAt: number[] = [];
    while (startedAt.length < 20) {
      const verdict = await on.limiter.admit(questionOf(limits));
      if (verdict.admitted) startedAt.push(on.clock.nowMs());
      else await on.clock.advanceAsync(verdict.rejection.retryAfterMs ?? Number.NaN);
    }
    expect(startedAt).toEqual(Array.from({ length: 20 }, (_, index) => index * 360_000));
  });

  it("start one each 360 s when they wait for the limit themselves", async () => {
    const limits = [tokenBucket({ capacity: 1, refill: 10, perMs: 3_600_000 })];
    const startedAt = await waitAll(setStage(), limits, { count: 20, jobMs: 0 });
    expect(startedAt).toEqual(Array.from({ length: 20 }, (_, index) => index * 360_000));
  });
});
