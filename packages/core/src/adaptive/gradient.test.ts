import { describe, expect, it } from "vitest";
import { sampleOf } from "../../test/adaptive/samples";
import type { Random } from "../random/random";
import { type GradientOptions, gradient } from "./gradient";

const half: Random = { next: () => 0.5, id: () => "id" };

/** A gradient that has measured `leastMs`, and what feeds it one update after the other. */
function measured(leastMs: number, options: GradientOptions = {}) {
  const algorithm = gradient({ measureSamples: 1, random: half, ...options });
  let nowMs = 0;
  algorithm.onSample(sampleOf({ nowMs, latencyMs: leastMs }));
  return {
    algorithm,
    /** Lets an interval pass with samples of `latencyMs`; the limit after its update. */
    update(latencyMs: number): number {
      algorithm.onSample(sampleOf({ nowMs: nowMs + 1, latencyMs }));
      nowMs += 101;
      // What comes at the end of an interval belongs to the next one.
      algorithm.onSample(sampleOf({ nowMs, latencyMs }));
      return algorithm.limit;
    },
  };
}

describe("gradient", () => {
  it("grows from 3 in twelve updates at the least latency (U11)", () => {
    const { update } = measured(100);
    const limits = Array.from({ length: 12 }, () => update(100));
    expect(limits).toEqual([5, 8, 13, 20, 30, 43, 61, 84, 115, 155, 207, 274]);
  });

  it.each([
    { latencyMs: 150, limits: [92, 85, 79, 73, 68], end: 30 },
    { latencyMs: 200, limits: [70, 50, 36, 27, 20], end: 4 },
    { latencyMs: 300, limits: [57, 33, 20, 13, 9, 6, 4, 3], end: 3 },
  ])("shrinks from 100 at $latencyMs ms where 100 is the least (U12)", (given) => {
    const { algorithm, update } = measured(100, { measureIntervalMs: 10_000_000 });
    algorithm.hold(100);
    expect(given.limits.map(() => update(given.latencyMs))).toEqual(given.limits);
    const limits = Array.from({ length: 100 }, () => update(given.latencyMs));
    expect(Math.min(...limits)).toBe(given.end);
  });

  it("R073: measures what started after it began to (U13)", () => {
    const algorithm = gradient({ measureSamples: 25, random: half, measureIntervalMs: 1000 });
    for (let each = 0; each < 25; each++) algorithm.onSample(sampleOf({ latencyMs: 10 }));
    const startMs = 1_000_000;
    // This one starts the next measurement; all that took 5 min started before.
    for (let each = 0; each < 50; each++) {
      algorithm.onSample(sampleOf({ nowMs: startMs + each, latencyMs: 300_000 }));
    }
    expect(algorithm.reason).toBe("measuring");
    for (let each = 0; each < 25; each++) {
      algorithm.onSample(sampleOf({ nowMs: startMs + 1350 + each, latencyMs: 1350 }));
    }
    expect(algorithm.reason).toBe("measured");
    // With 1 350 ms as the least latency 1 350 ms is room to grow; with any less it is a queue.
    algorithm.onSample(sampleOf({ nowMs: startMs + 1400, latencyMs: 1350 }));
    algorithm.onSample(sampleOf({ nowMs: startMs + 1500, latencyMs: 1350 }));
    expect(algorithm.limit).toBe(5);
  });

  it("measures at once after five updates at its minimum (U14)", () => {
    const { algorithm, update } = measured(5);
    for (let each = 0; each < 4; each++) update(10);
    expect(algorithm.reason).toBe("measured");
    update(10);
    expect(algorithm.reason).toBe("measuring");
  });

  it("measures after its interval and a part of the jitter (U15)", () => {
    const options = { measureIntervalMs: 100_000, jitter: 0.1, measureSamples: 1, random: half };
    const algorithm = gradient(options);
    algorithm.onSample(sampleOf({ latencyMs: 10 }));
    algorithm.onSample(sampleOf({ nowMs: 104_999, latencyMs: 10 }));
    expect(algorithm.reason).not.toBe("measuring");
    algorithm.onSample(sampleOf({ nowMs: 105_000, latencyMs: 10_000 }));
    expect(algorithm.reason).toBe("measuring");
    expect(algorithm.limit).toBe(3);
  });

  it("comes back to the limit that it had before it measured", () => {
    const { algorithm, update } = measured(100, { measureIntervalMs: 1000 });
    const limits = Array.from({ length: 9 }, () => update(100));
    algorithm.onSample(sampleOf({ nowMs: 2000, latencyMs: 2000 }));
    expect(algorithm.limit).toBe(3);
    algorithm.onSample(sampleOf({ nowMs: 2100, latencyMs: 100 }));
    expect(algorithm.limit).toBeGreaterThanOrEqual(limits[8] ?? 0);
  });

  it("takes no dropped request for a sample", () => {
    const algorithm = gradient({ measureSamples: 1, random: half });
    algorithm.onSample(sampleOf({ dropped: true }));
    expect(algorithm.reason).toBe("measuring");
  });
});
