import {
  createGate,
  createLimiter,
  fixedWindow,
  InvalidOptionsError,
  memoryStore,
} from "@sluice/core";
import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import type { Scenario, Source } from "../scenario/scenario";
import type { AttemptEnd, SimulatedWorld } from "./prepare-run";
import { runGateScenario, runLimiterScenario } from "./run-async";
import { runScenario } from "./run-scenario";

function scenarioOf(sources: readonly Source[], more: Partial<Scenario> = {}): Scenario {
  return {
    name: "doors",
    title: "a server of four slots",
    durationMs: 20_000,
    sources,
    server: { slots: 4, service: { kind: "constant", meanMs: 100 } },
    phases: [{ name: "all", fromMs: 0, toMs: 20_000 }],
    ...more,
  };
}

const burst = (size: number) => ({ kind: "burst", size, atMs: 1_000 }) as const;

describe("runGateScenario", () => {
  const gateOf =
    (max: number, queueMax = 0) =>
    ({ clock, random }: SimulatedWorld) =>
      createGate({ maxInFlight: max, queue: { max: queueMax, timeoutMs: 150 }, clock, random });

  it("refuses as a limit alone does when the gate has no queue", async () => {
    const scenario = scenarioOf([{ kind: "poisson", perSecond: 60 }]);
    const onGate = await runGateScenario(scenario, { gate: gateOf(5), seed: 2 });
    const alone = runScenario(scenario, { limit: () => fixedLimit(5), seed: 2 });
    expect(onGate.summary()).toEqual(alone.summary());
    expect(onGate.phase("all").rejectedShare).toBeGreaterThan(0.2);
  });

  it("lets requests wait in the queue of the gate, for as long as that says", async () => {
    const ends: AttemptEnd[] = [];
    const scenario = scenarioOf([burst(10)]);
    await runGateScenario(scenario, { gate: gateOf(2, 6), onAttemptEnd: (end) => ends.push(end) });
    // Two at once, two full, and of those that wait only the first two have their turn in 150 ms.
    const texts = ends.map(({ atMs, end, reason }) => `${atMs} ${reason ?? end}`);
    expect(texts).toEqual([
      "1000 queue_full",
      "1000 queue_full",
      "1100 completed",
      "1100 completed",
      "1150 queue_timeout",
      "1150 queue_timeout",
      "1150 queue_timeout",
      "1150 queue_timeout",
      "1200 completed",
      "1200 completed",
    ]);
  });

  it("asks with the class of the source, and ends the run with what the gate throws", async () => {
    const gate = ({ clock, random }: SimulatedWorld) =>
      createGate({
        maxInFlight: 1,
        queue: { max: 2 },
        classes: { high: { rank: 1 }, low: { rank: 0 } },
        clock,
        random,
      });
    const sources = [
      { ...burst(3), name: "low", class: "low" },
      { ...burst(2), name: "high", class: "high" },
    ];
    const run = await runGateScenario(scenarioOf(sources), { gate });
    expect(run.phase("all", "high").rejected).toBe(0);
    expect(run.phase("all", "low").rejectedShare).toBeCloseTo(2 / 3, 9);
    const unknown = scenarioOf([{ ...burst(1), class: "middle" }]);
    await expect(runGateScenario(unknown, { gate })).rejects.toThrow(InvalidOptionsError);
  });

  it("tells the gate the patience of the client, and begins no work for those who left", async () => {
    const ends: AttemptEnd[] = [];
    const scenario = scenarioOf([burst(3)], { client: { timeoutMs: 120 } });
    const gate = gateOf(1, 5);
    const run = await runGateScenario(scenario, { gate, onAttemptEnd: (end) => ends.push(end) });
    const texts = ends.map(({ atMs, end, reason }) => `${atMs} ${reason ?? end}`);
    // The second gives up while it is worked on, and at that instant the third's time is over too.
    expect(texts).toEqual(["1100 completed", "1120 timedOut", "1120 deadline_unreachable"]);
    expect(run.seconds().at(-1)).toMatchObject({ inFlight: 0, busy: 0 });
  });
});

describe("runLimiterScenario", () => {
  const limiter = ({ clock, random }: SimulatedWorld) =>
    createLimiter({ store: memoryStore({ clock, random }), clock, random });
  const limits = [fixedWindow({ max: 5, windowMs: 1_000, anchor: "epoch" })];

  it("asks the question of each request, in simulated time", async () => {
    const sources = ["a", "b"].map((name) => ({ kind: "even", perSecond: 10, name }) as const);
    const run = await runLimiterScenario(scenarioOf(sources), {
      limiter,
      question: ({ source }) => ({ descriptors: [{ kind: "caller", id: source, limits }] }),
    });
    for (const source of ["a", "b"]) {
      const seconds = run.seconds(source).slice(1);
      expect(new Set(seconds.map((each) => each.started))).toEqual(new Set([5]));
      expect(run.phase("all", source).rejectedShare).toBeCloseTo(0.5, 1);
    }
    expect(run.phase("all").meanLimit).toBeNaN();
  });

  it("ends the run with what a wrong question throws", async () => {
    const run = runLimiterScenario(scenarioOf([burst(1)]), {
      limiter,
      question: () => ({ descriptors: [] }),
    });
    await expect(run).rejects.toThrow(InvalidOptionsError);
  });
});
