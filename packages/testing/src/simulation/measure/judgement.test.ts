import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import { runScenario } from "../run/run-scenario";
import type { Scenario } from "../scenario/scenario";
import type { Expectation } from "./expectation";
import { judge } from "./judgement";

/** Ten evenly spaced requests per second on a server that is fast enough. */
function judged(expectation: Omit<Expectation, "phase">, limit = 5) {
  const scenario: Scenario = {
    name: "calm",
    title: "a calm day",
    durationMs: 10_000,
    sources: [{ kind: "even", perSecond: 10 }],
    server: { slots: 1, service: { kind: "constant", meanMs: 50 } },
    phases: [{ name: "steady", fromMs: 1_000, toMs: 10_000 }],
    expectations: [{ ...expectation, phase: "steady" }],
  };
  const run = (seed: number) => runScenario(scenario, { seed, limit: () => fixedLimit(limit) });
  return judge([run(1), run(2)])[0];
}

describe("judge", () => {
  it("meets a bound with its slack of 3 per cent", () => {
    // Measured are exactly 10 per second.
    expect(judged({ measure: "goodput", atLeast: 10.3 })?.isMet).toBe(true);
    expect(judged({ measure: "goodput", atLeast: 10.4 })?.isMet).toBe(false);
    expect(judged({ measure: "goodput", atMost: 9.71 })?.isMet).toBe(true);
    expect(judged({ measure: "goodput", atMost: 9.7 })?.isMet).toBe(false);
  });

  it("takes the slack that it is told", () => {
    expect(judged({ measure: "goodput", atLeast: 10, slack: 0 })).toMatchObject({
      measured: 10,
      bound: 10,
      isMet: true,
    });
    expect(judged({ measure: "goodput", atLeast: 10.01, slack: 0 })?.isMet).toBe(false);
  });

  it("does not meet what could not be measured", () => {
    expect(judged({ measure: "firstByteP50Ms", atMost: 1_000 })?.isMet).toBe(false);
  });

  it("asks for at least one run", () => {
    expect(() => judge([])).toThrow("at least one run");
  });
});

describe("judge over several seeds", () => {
  const scenario: Scenario = {
    name: "random",
    title: "random load",
    durationMs: 20_000,
    sources: [{ kind: "poisson", perSecond: 20 }],
    server: { slots: 50, service: { kind: "constant", meanMs: 50 } },
    phases: [{ name: "all", fromMs: 0, toMs: 20_000 }],
    expectations: [
      { phase: "all", measure: "offered", atLeast: 1 },
      { phase: "all", measure: "offered", atLeast: 1, over: "each" },
      { phase: "all", measure: "offered", atMost: 1, over: "each" },
    ],
  };
  const runs = [1, 2, 3].map((seed) => runScenario(scenario, { seed, limit: () => fixedLimit(9) }));
  const offered = runs.map((run) => run.phase("all").offered);

  it("takes the mean, or the worst where each has to meet it", () => {
    const [mean, least, most] = judge(runs).map(({ measured }) => measured);
    expect(mean).toBeCloseTo(offered.reduce((sum, each) => sum + each, 0) / 3, 9);
    expect([least, most]).toEqual([Math.min(...offered), Math.max(...offered)]);
    expect(least).toBeLessThan(mean as number);
  });
});
