import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import type { SluiceEvent } from "../event/event";
import type { AdaptiveLimitOptions } from "./adaptive-limit-options";
import { adaptiveLimit } from "./create-adaptive-limit";
import type { AlgorithmReason, AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";

/** An algorithm whose estimate is set by the test. */
class Puppet implements LimitAlgorithm {
  readonly name = "puppet";
  readonly usesDrops = true;
  readonly samples: AlgorithmSample[] = [];
  reason: AlgorithmReason = "headroom";
  limit = 20;

  onSample(sample: AlgorithmSample): void {
    this.samples.push({ ...sample });
  }

  hold(limit: number): void {
    this.limit = limit;
  }
}

function setUp(options: AdaptiveLimitOptions = {}) {
  const clock = new FakeClock();
  const puppet = new Puppet();
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const random = seededRandom(1);
  const limit = adaptiveLimit({ clock, algorithm: puppet, recorder, random, ...options });
  /** Lets the algorithm say `estimate` at the next sample. */
  function say(estimate: number, reason: AlgorithmReason = "headroom"): number {
    puppet.limit = estimate;
    puppet.reason = reason;
    limit.onSample({ latencyMs: 100, inFlight: 1, outcome: "success" });
    return limit.limit;
  }
  return { clock, puppet, events, limit, say };
}

describe("An adaptive limit", () => {
  it("starts with 20 and with its own algorithm, on the clock of the process", () => {
    expect(adaptiveLimit().limit).toBe(20);
    expect(adaptiveLimit({ ceiling: 5 }).limit).toBe(5);
    expect(adaptiveLimit({ floor: 50 }).limit).toBe(50);
  });

  it("keeps to floor and ceiling, and tells the estimate so", () => {
    const { limit, say, puppet } = setUp({ floor: 5, ceiling: 30 });
    expect(say(2, "queueing")).toBe(5);
    expect(puppet.limit).toBe(5);
    limit.onFull();
    say(8);
    for (let each = 0; each < 5; each++) limit.onFull();
    expect(say(1000)).toBeLessThanOrEqual(30);
  });

  it("does not grow without demand, and does with it", () => {
    const { limit, say, puppet } = setUp();
    expect(say(25)).toBe(20);
    expect(puppet.limit).toBe(20);
    limit.onFull();
    expect(say(25)).toBe(25);
    // That demand was met.
    expect(say(30)).toBe(25);
  });

  it("takes a sample that started at the limit for demand, for half a minute", () => {
    const { clock, limit, say } = setUp();
    limit.onSample({ latencyMs: 1, inFlight: 20, outcome: "success" });
    clock.advance(30_001);
    expect(say(25)).toBe(20);
    limit.onSample({ latencyMs: 1, inFlight: 20, outcome: "success" });
    clock.advance(30_000);
    expect(say(25)).toBe(25);
  });

  it("grows by no more than its part in any second", () => {
    const { clock, limit, say } = setUp({ maxGrowthPerSecond: 0.5 });
    const grown = () => {
      limit.onFull();
      return say(1000);
    };
    expect(grown()).toBe(30);
    clock.advance(800);
    expect(grown()).toBe(30);
    clock.advance(200);
    expect(grown()).toBe(45);
    expect(grown()).toBe(45);
  });

  it("grows by one at least", () => {
    const { limit, say } = setUp({ maxGrowthPerSecond: 0.01 });
    limit.onFull();
    expect(say(22)).toBe(21);
  });

  it("comes back from measuring at once and without demand, but no further", () => {
    const { say, limit } = setUp();
    expect(say(3, "measuring")).toBe(3);
    expect(say(40, "measured")).toBe(20);
    expect(limit.limit).toBe(20);
  });

  it("is frozen where it was before it went down to measure", () => {
    const { events, say, limit } = setUp();
    say(3, "measuring");
    limit.freeze();
    expect(limit.limit).toBe(20);
    expect(events.at(-1)).toMatchObject({ from: 3, to: 20, reason: "measured" });
    expect(say(3, "measuring")).toBe(20);
    limit.unfreeze();
    expect(limit.limit).toBe(3);
    expect(say(40, "measured")).toBe(20);
  });

  it("owes nothing to a measurement from before it was set by hand", () => {
    const { say, limit } = setUp();
    say(3, "measuring");
    limit.useStatic(5);
    limit.unfreeze();
    expect(say(20, "headroom")).toBe(3);
  });

  it("tells of every change and its reason, to listeners and as an event", () => {
    const { events, limit, say } = setUp({ name: "upstream" });
    const seen: number[] = [];
    const stop = limit.onChange(() => void seen.push(limit.limit));
    say(15, "queueing");
    say(15.2, "queueing");
    say(8, "loss");
    stop();
    stop();
    limit.useStatic(50);
    limit.unfreeze();
    expect(seen).toEqual([15, 8]);
    const change = { type: "limit_changed", limit: "upstream" };
    expect(events).toEqual([
      { ...change, from: 20, to: 15, reason: "queueing" },
      { ...change, from: 15, to: 8, reason: "loss" },
      { ...change, from: 8, to: 50, reason: "static" },
      { ...change, from: 50, to: 8, reason: "released" },
    ]);
  });

  it("holds while it is frozen, learns all the same, and follows again", () => {
    const { limit, say, puppet } = setUp();
    limit.freeze();
    expect(say(5, "loss")).toBe(20);
    expect(puppet.samples).toHaveLength(1);
    limit.unfreeze();
    expect(limit.limit).toBe(5);
  });

  it("enforces a static number, also beyond its ceiling, until it is released", () => {
    const { limit, say } = setUp({ ceiling: 30 });
    limit.useStatic(100);
    limit.freeze();
    expect(say(10, "loss")).toBe(100);
    limit.unfreeze();
    expect(limit.limit).toBe(10);
    expect(() => limit.useStatic(0)).toThrow(InvalidOptionsError);
    expect(() => limit.useStatic(1.5)).toThrow("limit: expected an integer of 1 or more");
    expect(limit.limit).toBe(10);
  });

  it("gives one probe for each second at its floor, and none above", () => {
    const { clock, limit, say } = setUp();
    expect(limit.takeProbe()).toBe(false);
    say(1, "loss");
    let probes = 0;
    for (let each = 0; each < 1000; each++) {
      clock.advance(10);
      if (limit.takeProbe()) probes += 1;
    }
    expect(probes).toBeGreaterThanOrEqual(10);
    expect(probes).toBeLessThanOrEqual(11);
    limit.useStatic(1);
    clock.advance(5000);
    expect(limit.takeProbe()).toBe(false);
  });

  it("does not pass on what is ignored", () => {
    const { limit, puppet } = setUp();
    limit.onSample({ latencyMs: 9999, inFlight: 20, outcome: "ignored" });
    expect(puppet.samples).toEqual([]);
  });

  it("R077: makes numbers of what no latency can be", () => {
    const { limit, puppet } = setUp();
    for (const latencyMs of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      limit.onSample({ latencyMs, inFlight: Number.NaN, outcome: "success" });
    }
    expect(puppet.samples.map((each) => each.latencyMs)).toEqual([0, 0, 0, 0, 0]);
    expect(puppet.samples.map((each) => each.inFlight)).toEqual([1, 1, 1, 1, 1]);
  });

  it("R077: stays a number by the default when a latency is one whose square is none", () => {
    const clock = new FakeClock();
    const limit = adaptiveLimit({ clock, random: seededRandom(7) });
    const latencies = [1e300, ...new Array<number>(6).fill(0)];
    for (const latencyMs of latencies) {
      limit.onSample({ latencyMs, inFlight: 16, outcome: "success" });
    }
    clock.advance(10_000_000);
    limit.onFull();
    limit.onSample({ latencyMs: 0, inFlight: 16, outcome: "success" });
    expect(limit.limit).toBeGreaterThanOrEqual(20);
  });

  it("takes stalls of the loop out of latencies", () => {
    const stalls = { overlapMs: () => 70, note: () => {}, stop: () => {} };
    const { limit, puppet } = setUp({ stalls });
    for (const latencyMs of [100, 50]) {
      limit.onSample({ latencyMs, inFlight: 1, outcome: "success" });
    }
    expect(puppet.samples.map((each) => each.latencyMs)).toEqual([30, 0]);
  });

  it("says when it sat at its floor for half a minute with demand, once a minute", () => {
    const { clock, events, limit, say } = setUp();
    say(1, "loss");
    for (let second = 0; second < 100; second++) {
      limit.onFull();
      clock.advance(1000);
    }
    const unstable = events.filter(({ type }) => type === "limit_unstable");
    const at = { type: "limit_unstable", limit: "limit", cause: "at_floor", value: 1 };
    expect(unstable).toEqual([
      { ...at, forMs: 30_000 },
      { ...at, forMs: 90_000 },
    ]);
  });

  it("says when it turned six times within a minute, by a fifth each time", () => {
    const { clock, events, limit, say } = setUp();
    const turn = (estimate: number) => {
      clock.advance(5000);
      limit.onFull();
      say(estimate, estimate > limit.limit ? "headroom" : "queueing");
    };
    for (const estimate of [19, 20, 19, 20, 19, 20, 19, 20]) turn(estimate);
    expect(events.some(({ type }) => type === "limit_unstable")).toBe(false);
    for (const estimate of [10, 20, 10, 20, 10, 20, 10]) turn(estimate);
    expect(events.at(-1)).toMatchObject({ type: "limit_unstable", cause: "oscillating" });
  });

  it.each([
    [{ floor: 0 }, "floor: expected an integer of 1 or more, received 0 (number)"],
    [{ floor: 5, ceiling: 4 }, "ceiling: expected an integer of 5 or more"],
    [{ initial: 2000 }, "initial: expected an integer from 1 to 1000"],
    [{ maxGrowthPerSecond: 0 }, "maxGrowthPerSecond: expected a number from 0.01 to 1000"],
    [{ algorithm: {} }, "algorithm: expected an object with the methods onSample, hold"],
    [{ algorithm: new Puppet(), initial: 5 }, "initial: expected no initial beside an algorithm"],
    [{ name: "a b" }, "name: expected 1 to 64 characters"],
    [{ max: 5 }, "max: expected no such option"],
  ])("refuses %o", (options, message) => {
    expect(() => adaptiveLimit(options as never)).toThrow(InvalidOptionsError);
    expect(() => adaptiveLimit(options as never)).toThrow(message);
  });

  it("refuses an algorithm that estimates another limit, unless that one was not made", () => {
    const algorithm = new Puppet();
    expect(() => adaptiveLimit({ algorithm, floor: 0 })).toThrow("floor");
    adaptiveLimit({ algorithm });
    expect(() => adaptiveLimit({ algorithm })).toThrow(
      "algorithm: expected an algorithm of its own",
    );
  });
});
