import { describe, expect, it } from "vitest";
import { LatencyHistogram } from "./latency-histogram";

function histogramOf(...latencies: number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const each of latencies) histogram.add(each);
  return histogram;
}

describe("LatencyHistogram", () => {
  it("finds quantiles of small whole numbers exactly", () => {
    const histogram = histogramOf(1, 2, 3, 4, 5);
    expect([0, 0.2, 0.5, 0.8, 1].map((share) => histogram.quantile(share))).toEqual([
      1, 1, 3, 4, 5,
    ]);
  });

  it("is exact for equal values of any size", () => {
    for (const each of [0, 0.05, 0.5, 7, 13, 99, 1350, 300_000, 50_000_000]) {
      expect(histogramOf(each, each, each).quantile(0.5)).toBeCloseTo(each, 9);
    }
  });

  it("is within a tenth for others", () => {
    const values = Array.from({ length: 1000 }, (_, index) => index * 7.3 + 0.1);
    const histogram = histogramOf(...values);
    for (const share of [0.1, 0.25, 0.5, 0.9, 0.99]) {
      const exact = values[Math.ceil(share * 1000) - 1] ?? 0;
      expect(Math.abs(histogram.quantile(share) - exact)).toBeLessThanOrEqual(0.1 * exact);
    }
  });

  it("is empty after it was cleared", () => {
    const histogram = histogramOf(5, 6);
    histogram.clear();
    expect([histogram.count, histogram.quantile(0.5)]).toEqual([0, 0]);
  });
});
