import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { UpstreamLimit } from "../outbound/upstream-limit";
import { aimd } from "./aimd";
import { adaptiveLimit } from "./create-adaptive-limit";
import { gradient } from "./gradient";
import { gradient2 } from "./gradient2";
import type { LimitAlgorithm } from "./limit-algorithm";
import { vegas } from "./vegas";
import { windowSampler } from "./window-sampler";

const random = seededRandom(1);
const noDips = { random, probeMultiplier: 1_000_000 };

/** A limit, and what gives it `count` samples of one latency, `everyMs` apart. */
function setUp(algorithm?: LimitAlgorithm) {
  const clock = new FakeClock();
  const limit = adaptiveLimit({ clock, random, ...(algorithm && { algorithm }) });
  const feed = (latencyMs: number, count: number, everyMs = 100) => {
    for (let each = 0; each < count; each += 1) {
      clock.advance(everyMs);
      limit.onSample({ latencyMs, inFlight: limit.limit, outcome: "success" });
    }
  };
  return { clock, limit, feed };
}

describe("What an adaptive limit shows of its reckoning", () => {
  it("is nothing before there is a sample, and never anything of one without latencies", () => {
    for (const algorithm of [undefined, vegas({ random }), gradient({ random }), gradient2()]) {
      const { limit } = setUp(algorithm);
      expect([limit.baselineMs, limit.gradient]).toEqual([undefined, undefined]);
    }
    const { limit, feed } = setUp(aimd());
    feed(100, 50);
    expect([limit.baselineMs, limit.gradient]).toEqual([undefined, undefined]);
  });

  it.each([
    { name: "vegas", make: () => vegas(noDips), slower: 0.5 },
    { name: "gradient", make: () => gradient({ random, buffer: 0 }), slower: 0.5 },
    { name: "gradient2", make: () => gradient2({ tolerance: 1 }), slower: 0.5 },
    {
      name: "windowed vegas",
      make: () => windowSampler({ algorithm: vegas(noDips) }),
      slower: 0.5,
    },
  ])("is, by $name, the baseline and its ratio to the latest latency", ({ make, slower }) => {
    const { limit, feed } = setUp(make());
    feed(100, 200);
    expect(limit.baselineMs).toBe(100);
    expect(limit.gradient).toBe(1);
    feed(200, 25);
    expect(limit.baselineMs).toBeGreaterThanOrEqual(100);
    expect(limit.baselineMs).toBeLessThan(110);
    expect(limit.gradient).toBeCloseTo(slower, 1);
  });

  it("is, by the default, the unqueued latency and its ratio to that of the last window", () => {
    const { limit, feed } = setUp();
    feed(100, 200);
    expect(limit.baselineMs).toBeCloseTo(100, 6);
    expect(limit.gradient).toBeCloseTo(1, 6);
    feed(200, 25);
    expect(limit.gradient).toBeGreaterThan(0.4);
    expect(limit.gradient).toBeLessThan(0.75);
  });

  it("is the same of the limit of an upstream", () => {
    const { clock, limit, feed } = setUp(vegas(noDips));
    const ofUpstream = new UpstreamLimit(limit, clock);
    feed(100, 5);
    feed(400, 1);
    expect([ofUpstream.baselineMs, ofUpstream.gradient]).toEqual([100, 0.25]);
  });
});
