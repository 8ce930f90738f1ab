import { describe, expect, it } from "vitest";
import { feedFull } from "../../test/adaptive/samples";
import { ExponentialMean } from "./exponential-mean";
import { gradient2 } from "./gradient2";

/** The limits after the given steps, counted from 1. */
function at(limits: readonly number[], ...steps: number[]): number[] {
  return steps.map((step) => limits[step - 1] ?? Number.NaN);
}

function expectClose(limits: readonly number[], expected: readonly number[]): void {
  for (const [index, each] of expected.entries()) expect(limits[index]).toBeCloseTo(each, 1);
}

describe("gradient2", () => {
  it("grows by 0.8 a sample at constant latency, to 200 in 225 (U6)", () => {
    const limits = feedFull(gradient2(), 225);
    expectClose(at(limits, 1, 5, 10, 20, 50, 100, 200), [20.8, 24, 28, 36, 60, 100, 180]);
    expect(limits[224]).toBeCloseTo(200, 6);
    expect(limits[223]).toBeLessThan(199.5);
  });

  it("shrinks when latency doubles, and has forgotten it 125 samples later (U7)", () => {
    const algorithm = gradient2();
    feedFull(algorithm, 50);
    const limits = feedFull(algorithm, 200, { latencyMs: 200 });
    expectClose(at(limits, 1, 2, 5, 10, 20), [57.83, 55.8, 50.43, 43.49, 34.84]);
    expectClose(at(limits, 50, 100, 150, 200), [28.45, 41.73, 78.27, 118.27]);
    const rounded = limits.map((each) => each.toFixed(2));
    expect(rounded.indexOf("28.38")).toBe(45);
    expect(Math.min(...limits).toFixed(2)).toBe("28.38");
  });

  it("falls to its floor when latency triples, and leaves it after 107 samples (U8)", () => {
    const algorithm = gradient2();
    feedFull(algorithm, 50);
    const limits = feedFull(algorithm, 400, { latencyMs: 300 });
    expectClose(at(limits, 1, 2, 5, 10), [54.84, 50.23, 39.12, 27.1]);
    expect(at(limits, 16, 60, 107)).toEqual([20, 20, 20]);
    expectClose(at(limits, 150, 200, 300), [26.07, 47.55, 127.1]);
    expect(limits[391]).toBeCloseTo(200, 6);
  });

  it("keeps its limit while less than half of it is used, and learns all the same (U9)", () => {
    const idle = gradient2({ initial: 100 });
    expect(new Set(feedFull(idle, 30, { latencyMs: 900, inFlight: 40 }))).toEqual(new Set([100]));
    // 900 ms is what it knows: the first used sample of 300 ms finds room.
    idle.onSample({ nowMs: 0, latencyMs: 300, inFlight: 100, dropped: false, full: true });
    expect(idle.limit).toBeCloseTo(100.8, 6);
  });

  it("means plainly over ten, then exponentially (U10)", () => {
    const mean = new ExponentialMean({ window: 100, warmUp: 10 });
    for (let sample = 10; sample <= 19; sample++) mean.add(sample);
    expect(mean.value).toBeCloseTo(14.5, 9);
    expect(mean.add(100)).toBeCloseTo(16.193, 3);
  });

  it("R077: stays finite when every latency is 0", () => {
    const limits = feedFull(gradient2(), 10, { latencyMs: 0 });
    expect(limits[9]).toBeCloseTo(28, 6);
  });
});
