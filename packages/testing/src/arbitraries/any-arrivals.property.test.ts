import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyArrivals, chosen } from "./any-arrivals";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 300, seed: 7 });

describe("anyArrivals", () => {
  it("draws arrivals, departures of every sort and time, and nothing else by default", () => {
    const types = sample(anyArrivals()).flatMap((story) => story.map((step) => step.type));
    expect(new Set(types)).toEqual(new Set(["advance", "admit", "settle", "release", "refund"]));
  });

  it("draws the wanted types of steps only, and no longer stories than wanted", () => {
    const stories = sample(
      anyArrivals({ types: ["admit", "advance-to-retry", "step-back", "reset"], lengthMax: 7 }),
    );
    const types = stories.flatMap((story) => story.map((step) => step.type));
    expect(new Set(types)).toEqual(new Set(["admit", "advance-to-retry", "step-back", "reset"]));
    expect(Math.max(...stories.map((story) => story.length))).toBe(7);
  });

  it("moves time by whole milliseconds, often to just before, onto and just after a window", () => {
    const moves = sample(anyArrivals({ types: ["advance"], windowMs: 1_000 }))
      .flat()
      .map((step) => (step.type === "advance" ? step.ms : -1));
    for (const ms of moves) expect(Number.isSafeInteger(ms) && ms >= 0 && ms <= 3_000).toBe(true);
    for (const landmark of [0, 1, 999, 1_000, 1_001, 2_000]) {
      expect(moves.filter((ms) => ms === landmark).length).toBeGreaterThan(moves.length / 100);
    }
  });

  it("never moves time backwards with the shortest window", () => {
    const moves = sample(anyArrivals({ types: ["advance"], windowMs: 1 })).flat();
    for (const step of moves) expect(step.type === "advance" && step.ms >= 0).toBe(true);
  });

  it("draws costs of the wanted units, up to the wanted size", () => {
    const steps = sample(
      anyArrivals({ types: ["admit", "settle", "peek"], units: ["images"], costMax: 2 }),
    ).flat();
    const costs = steps.map((step) => {
      if (step.type === "settle") return step.actual;
      return step.type === "admit" || step.type === "peek" ? step.cost : { wrong: 1 };
    });
    expect(new Set(costs.map((cost) => JSON.stringify(cost)))).toEqual(
      new Set(["{}", '{"images":0}', '{"images":1}', '{"images":2}']),
    );
  });
});

describe("chosen", () => {
  it("counts from the newest permit and goes round", () => {
    const permits = ["oldest", "middle", "newest"];
    expect([0, 1, 2, 3, 15].map((permit) => chosen(permits, permit))).toEqual([
      "newest",
      "middle",
      "oldest",
      "newest",
      "newest",
    ]);
  });

  it("is absent when no permit was given yet", () => {
    expect(chosen([], 3)).toBeUndefined();
  });
});
