import { describe, expect, it } from "vitest";
import { seededRandom } from "../../random/seeded-random";
import { type Distribution, drawOf, meanOf } from "./distribution";

const DRAWS = 200_000;

/** Mean, and deviation as a share of it. */
function momentsOf(distribution: Distribution) {
  const draw = drawOf(distribution, seededRandom(7));
  const times = Array.from({ length: DRAWS }, draw);
  const mean = times.reduce((sum, time) => sum + time, 0) / DRAWS;
  const squares = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / DRAWS;
  return { mean, deviation: Math.sqrt(squares) / mean, min: Math.min(...times.slice(0, 50_000)) };
}

describe("drawOf", () => {
  const cases: readonly (readonly [Distribution, number])[] = [
    [{ kind: "constant", meanMs: 40 }, 0],
    // A uniform number between 1 - s and 1 + s has the deviation s / sqrt(3).
    [{ kind: "uniform", meanMs: 40, spread: 0.1 }, 0.1 / Math.sqrt(3)],
    [{ kind: "uniform", meanMs: 40, spread: 1 }, 1 / Math.sqrt(3)],
    [{ kind: "exponential", meanMs: 40 }, 1],
    [{ kind: "lognormal", meanMs: 40, sigma: 0.5 }, Math.sqrt(Math.exp(0.25) - 1)],
    [{ kind: "bimodal", fastMs: 20, slowMs: 220, slowShare: 0.1 }, 60 / 40],
  ];

  it.each(cases)("has the mean and the spread of %j", (distribution, deviation) => {
    const measured = momentsOf(distribution);
    expect(meanOf(distribution)).toBeCloseTo(40, 9);
    expect(Math.abs(measured.mean / 40 - 1)).toBeLessThan(0.01);
    expect(measured.deviation).toBeCloseTo(deviation, 1);
    expect(measured.min).toBeGreaterThanOrEqual(0);
  });

  it("keeps to the bounds of a uniform time", () => {
    const draw = drawOf({ kind: "uniform", meanMs: 50, spread: 0.1 }, seededRandom(3));
    const times = Array.from({ length: 10_000 }, draw);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(45);
    expect(Math.max(...times)).toBeLessThanOrEqual(55);
  });

  it("repeats under the same seed, and differs under another", () => {
    const times = (seed: number) =>
      Array.from({ length: 20 }, drawOf({ kind: "exponential", meanMs: 1 }, seededRandom(seed)));
    expect(times(1)).toEqual(times(1));
    expect(times(1)).not.toEqual(times(2));
  });
});
