import { describe, expect, it } from "vitest";
import { feedFull, sampleOf } from "../../test/adaptive/samples";
import type { Random } from "../random/random";
import { vegas } from "./vegas";

const noProbe: Random = { next: () => 0.999, id: () => "id" };

describe("vegas", () => {
  it.each([
    { latencyMs: 10, inFlight: 11, limit: 16 },
    { latencyMs: 50, inFlight: 11, limit: 9 },
    { latencyMs: 14, inFlight: 14, limit: 10 },
  ])("with a baseline of 10 ms goes from 10 to $limit at $latencyMs ms (U3)", (given) => {
    const algorithm = vegas({ initial: 10, max: 20, random: noProbe });
    algorithm.onSample(sampleOf({ latencyMs: 10, inFlight: 10 }));
    expect(algorithm.limit).toBe(10);
    algorithm.onSample(sampleOf(given));
    expect(algorithm.limit).toBe(given.limit);
  });

  it.each([
    { smoothing: 0.5, limits: [75, 56] },
    { smoothing: 1, limits: [50, 25] },
  ])("makes $smoothing of the steps of its decrease function (U4)", ({ smoothing, limits }) => {
    const decrease = (limit: number) => limit / 2;
    const algorithm = vegas({ initial: 100, smoothing, decrease, random: noProbe });
    algorithm.onSample(sampleOf({ latencyMs: 10 }));
    const drops = feedFull(algorithm, 2, { latencyMs: 10, dropped: true });
    expect(drops.map(Math.floor)).toEqual(limits);
  });

  it("grows from 20 to 100 in 15 samples and to 1 000 in 90 at constant latency (U5)", () => {
    const limits = feedFull(vegas({ random: noProbe, probeMultiplier: 1000 }), 90);
    expect(limits.slice(0, 4)).toEqual([20, 26, 32, 38]);
    expect(limits[13]).toBeLessThan(100);
    expect(limits[14]).toBeGreaterThanOrEqual(100);
    expect(limits[88]).toBeLessThan(1000);
    expect(limits[89]).toBe(1000);
  });

  it("takes its baseline anew after 15 to 30 times the limit samples", () => {
    const earliest: Random = { next: () => 0, id: () => "id" };
    const algorithm = vegas({ initial: 10, max: 10, random: earliest });
    algorithm.onSample(sampleOf({ latencyMs: 10 }));
    // The queue of 10 × (1 - 10 / 100) is far too long, but from sample 150 on 100 ms is normal.
    feedFull(algorithm, 148, { latencyMs: 11, inFlight: 1 });
    algorithm.onSample(sampleOf({ latencyMs: 100, inFlight: 10 }));
    expect(algorithm.limit).toBe(10);
    algorithm.onSample(sampleOf({ latencyMs: 100, inFlight: 10 }));
    expect(algorithm.reason).toBe("headroom");
  });

  it("R077: takes a latency of 0 for 1 ms, and stays finite", () => {
    const algorithm = vegas({ initial: 10, random: noProbe });
    const limits = feedFull(algorithm, 5, { latencyMs: 0 });
    expect(limits).toEqual([10, 16, 22, 28, 34]);
  });
});
