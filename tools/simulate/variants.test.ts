import { overloadScenarios, readScenario, type Scenario } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { varied } from "./variants";
import { variantsOf } from "./variations";

const scenarioOf = (name: string) =>
  overloadScenarios.find((scenario) => scenario.name === name) as Scenario;

/** What a variant of A expects, as `phase measure bound`. */
function boundsOf(scenario: Scenario): readonly string[] {
  return (scenario.expectations ?? []).map(
    ({ phase, measure, atMost, atLeast }) =>
      `${phase} ${measure} ${Number((atMost ?? atLeast ?? 0).toPrecision(4))}`,
  );
}

describe("varied", () => {
  it("scales slots and load together, and what follows from them", () => {
    const four = varied(scenarioOf("A"), { slots: 4 });
    expect(four.server.slots).toBe(48);
    expect(four.sources[0]).toMatchObject({ perSecond: 400 });
    expect(boundsOf(four)).toEqual([
      "overload goodput 304",
      "overload p99MaxMs 400",
      "overload meanLimit 120",
      "after rejectedShare 0.002",
      "after p99MaxMs 70",
    ]);
  });

  it("scales times, and the load against them", () => {
    const slow = varied(scenarioOf("A"), { service: 2, story: 2 });
    expect(slow).toMatchObject({
      durationMs: 600_000,
      sources: [{ perSecond: 50 }],
      server: { service: { meanMs: 100 }, steps: [{ atMs: 40_000 }, { atMs: 280_000 }] },
    });
    expect(boundsOf(slow).slice(0, 2)).toEqual(["overload goodput 38", "overload p99MaxMs 800"]);
  });

  it("bounds goodput by the slots where those are too few, by the load elsewhere", () => {
    expect(boundsOf(varied(scenarioOf("D"), { load: 1.3 }))).toContain("first 5 min goodput 97");
    expect(boundsOf(varied(scenarioOf("G"), { load: 0.9 }))[0]).toBe("from 100 s goodput 79.2");
  });

  it("keeps the queueing in a bound of latency, and takes service from the distribution", () => {
    const [, p99] = boundsOf(varied(scenarioOf("A"), { distribution: "exponential" }));
    // 400 - 1.1 x 150 = 235 of queueing, half as much again, and 150 x ln 100 of service.
    expect(p99).toBe(
      `overload p99MaxMs ${Number((235 * 1.5 + 150 * Math.log(100)).toPrecision(4))}`,
    );
  });
});

describe("variantsOf", () => {
  it.each(overloadScenarios.map((scenario) => [scenario.name, scenario] as const))(
    "makes sound scenarios with names of their own of %s",
    (_, scenario) => {
      const variants = variantsOf(scenario);
      expect(variants.length).toBeGreaterThan(5);
      expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
      for (const variant of variants) expect(() => readScenario(variant)).not.toThrow();
    },
  );
});
