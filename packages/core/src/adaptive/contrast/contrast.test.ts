import {
  type Distribution,
  FakeClock,
  overloadScenarios,
  runScenario,
  type Scenario,
  type SimulatedWorld,
  seededRandom,
} from "@sluice/testing";
import { describe, expect, it } from "vitest";
import type { SluiceEvent } from "../../event/event";
import type { AdaptiveLimit } from "../adaptive-limit";
import { adaptiveLimit } from "../create-adaptive-limit";

type LimitChanged = Extract<SluiceEvent, { readonly type: "limit_changed" }>;

/** A limit, and what feeds it windows of samples that are given. */
function setUp(options: { readonly initial?: number } = {}) {
  const clock = new FakeClock();
  const events: LimitChanged[] = [];
  const recorder = {
    record: (event: SluiceEvent) => {
      if (event.type === "limit_changed") events.push(event);
    },
  };
  const limit = adaptiveLimit({ clock, random: seededRandom(1), recorder, ...options });
  /** For `seconds` lets requests end, `perSecond` of them, as `latencyMs` says, always full. */
  function saturate(seconds: number, latencyMs: (limit: AdaptiveLimit) => number): void {
    for (let each = 0; each < seconds * 50; each++) {
      clock.advance(20);
      limit.onFull();
      limit.onSample({ latencyMs: latencyMs(limit), inFlight: limit.limit, outcome: "success" });
    }
  }
  return { clock, events, limit, saturate };
}

describe("The default algorithm", () => {
  it("grows while latency stays", () => {
    const { limit, saturate } = setUp();
    saturate(15, () => 100);
    expect(limit.limit).toBeGreaterThan(100);
  });

  it("settles between 1 and 2.5 times the slots, from above and from below", () => {
    for (const initial of [4, 20, 100]) {
      const scenario: Scenario = {
        name: "overload",
        title: "20 slots x 100 ms, 300 per second",
        durationMs: 120_000,
        sources: [{ kind: "poisson", perSecond: 300 }],
        server: { slots: 20, service: { kind: "uniform", meanMs: 100, spread: 0.1 } },
        phases: [{ name: "end", fromMs: 60_000, toMs: 120_000 }],
      };
      const limit = ({ clock, random }: SimulatedWorld) =>
        adaptiveLimit({ clock, random, initial });
      const [end] = runScenario(scenario, { limit, seed: 1 }).summary();
      expect(end?.minLimit).toBeGreaterThanOrEqual(10);
      expect(end?.meanLimit).toBeGreaterThanOrEqual(20);
      expect(end?.meanLimit).toBeLessThanOrEqual(50);
      expect(end?.goodput).toBeGreaterThanOrEqual(194);
    }
  });

  it("R071: keeps its limit when a hundred streams of a minute had a first byte at 50 ms", () => {
    const { clock, limit } = setUp({ initial: 64 });
    for (let each = 0; each < 100; each++) {
      clock.advance(600);
      limit.onSample({ latencyMs: 50, inFlight: 64, outcome: "success" });
    }
    expect(limit.limit).toBeGreaterThanOrEqual(64);
  });

  it("R071: lets somebody in when idle, however low it fell, and comes back with demand", () => {
    const { clock, limit, saturate } = setUp({ initial: 64 });
    for (let each = 0; each < 200; each++) {
      clock.advance(100);
      limit.onSample({ latencyMs: 1000, inFlight: 64, outcome: "dropped" });
    }
    expect(limit.limit).toBe(1);
    clock.advance(60_000);
    expect(limit.limit).toBeGreaterThanOrEqual(1);
    saturate(30, () => 50);
    expect(limit.limit).toBeGreaterThanOrEqual(64);
  });

  it("R075: falls while everything is dropped, and rises when that is over", () => {
    const { clock, limit, saturate } = setUp({ initial: 100 });
    const seen: number[] = [];
    for (let window = 0; window < 20; window++) {
      for (let each = 0; each < 50; each++) {
        clock.advance(20);
        limit.onSample({ latencyMs: 10, inFlight: 100, outcome: "dropped" });
      }
      seen.push(limit.limit);
    }
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
    expect(limit.limit).toBe(1);
    saturate(10, () => 100);
    expect(limit.limit).toBeGreaterThan(5);
  });

  it("becomes 5, not 4, when the other side takes five at once and refuses a sixth", () => {
    const { clock, limit } = setUp({ initial: 8 });
    for (let each = 0; each < 200; each++) {
      clock.advance(10);
      const inFlight = 1 + (each % 8);
      limit.onSample({ latencyMs: 5, inFlight, outcome: inFlight > 5 ? "dropped" : "success" });
    }
    expect(limit.limit).toBe(5);
  });

  it("sheds when latency goes from 0.35 s to 10.4 s without an error", () => {
    const { clock, limit } = setUp();
    for (let each = 0; each < 600; each++) {
      clock.advance(100);
      limit.onSample({ latencyMs: 350, inFlight: 1 + (each % 10), outcome: "success" });
    }
    expect(limit.limit).toBe(20);
    for (let each = 0; each < 1200; each++) {
      clock.advance(500);
      limit.onFull();
      limit.onSample({ latencyMs: 10_400, inFlight: limit.limit, outcome: "success" });
    }
    expect(limit.limit).toBeLessThanOrEqual(10);
  });

  it("takes the 0, 1 and 2 ms of a clock of whole milliseconds for no queue", () => {
    const { clock, limit } = setUp();
    const random = seededRandom(5);
    for (let each = 0; each < 60_000; each++) {
      if (each % 3 === 0) clock.advance(1);
      limit.onFull();
      const latencyMs = Math.floor(random.next() * 3);
      limit.onSample({ latencyMs, inFlight: limit.limit, outcome: "success" });
    }
    expect(limit.limit).toBeGreaterThan(100);
  });

  it("does not shrink on what a dip said of another server, also while the next may not come", () => {
    const { events, limit, saturate } = setUp();
    saturate(30, () => 10 * limit.limit);
    while (events.at(-1)?.reason !== "measured") saturate(0.1, () => 10 * limit.limit);
    saturate(1, () => 10 * limit.limit);
    const before = limit.limit;
    events.length = 0;
    // Three times slower now, however few there are; the spacing of dips lets none come yet.
    saturate(4, () => 3 * 10 * before);
    expect(events.map(({ reason }) => reason)).not.toContain("queueing");
    saturate(10, () => 3 * 10 * before);
    expect(limit.limit).toBeGreaterThan(before);
  });

  it("neither freezes nor drifts at eight requests a minute", () => {
    const { clock, limit } = setUp();
    for (let each = 0; each < 8 * 60; each++) {
      clock.advance(7_500);
      limit.onSample({ latencyMs: 2000, inFlight: 1, outcome: "success" });
    }
    expect(limit.limit).toBe(20);
    for (let each = 0; each < 8 * 10; each++) {
      clock.advance(7_500);
      limit.onSample({ latencyMs: 5000, inFlight: 1, outcome: "dropped" });
    }
    expect(limit.limit).toBeLessThanOrEqual(2);
    for (let each = 0; each < 8 * 60; each++) {
      clock.advance(7_500);
      limit.onFull();
      limit.onSample({ latencyMs: 2000, inFlight: limit.limit, outcome: "success" });
    }
    expect(limit.limit).toBeGreaterThanOrEqual(10);
  });
});

describe("The default algorithm in simulations", () => {
  it.each(overloadScenarios.filter(({ name }) => ["A", "B", "E", "H"].includes(name)))(
    "meets $title",
    (scenario) => {
      const measured = runScenario(scenario, {
        limit: ({ clock, random }) => adaptiveLimit({ clock, random }),
        seed: 1,
      });
      const phases = new Map(measured.summary().map((each) => [each.phase, each]));
      for (const { phase, measure, atLeast, atMost } of scenario.expectations ?? []) {
        const value = phases.get(phase)?.[measure] ?? Number.NaN;
        if (atLeast !== undefined) expect(value).toBeGreaterThanOrEqual(0.97 * atLeast);
        if (atMost !== undefined) expect(value).toBeLessThanOrEqual(1.03 * atMost);
      }
    },
  );

  it("takes a slower server for one within seconds, also when times are of two kinds", () => {
    const base = overloadScenarios.find(({ name }) => name === "E") as Scenario;
    const times = (ms: number): Distribution => {
      return { kind: "bimodal", fastMs: ms / 2, slowMs: 5.5 * ms, slowShare: 0.1 };
    };
    const scenario: Scenario = {
      ...base,
      durationMs: 120_000,
      server: {
        slots: 10,
        service: times(100),
        steps: [{ atMs: 60_000, slots: 30, service: times(300) }],
      },
      phases: [{ name: "first minute", fromMs: 60_000, toMs: 120_000 }],
      expectations: [],
    };
    const shares = Array.from({ length: 10 }, (_, seed) => {
      const limit = ({ clock, random }: SimulatedWorld) => adaptiveLimit({ clock, random });
      return runScenario(scenario, { limit, seed }).summary()[0]?.rejectedShare ?? 1;
    });
    expect(shares.reduce((a, b) => a + b) / shares.length).toBeLessThan(0.1);
  });

  it("has room for the bursts of a load that fits, the more the more times differ", () => {
    const scenario: Scenario = {
      name: "fits",
      title: "10 slots, exponential times of 100 ms, 80 per second",
      durationMs: 600_000,
      sources: [{ kind: "poisson", perSecond: 80 }],
      server: { slots: 10, service: { kind: "exponential", meanMs: 100 } },
      phases: [{ name: "all", fromMs: 0, toMs: 600_000 }],
    };
    const shares = Array.from({ length: 4 }, (_, seed) => {
      const limit = ({ clock, random }: SimulatedWorld) => adaptiveLimit({ clock, random });
      return runScenario(scenario, { limit, seed }).summary()[0]?.rejectedShare ?? 1;
    });
    expect(shares.reduce((a, b) => a + b) / shares.length).toBeLessThan(0.005);
  });
});
