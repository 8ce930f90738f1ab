import { InvalidOptionsError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { overloadScenarios } from "../published/published-scenarios";
import { readScenario } from "./read-scenario";

const good = {
  name: "mine",
  title: "my own service",
  durationMs: 60_000,
  sources: [
    { kind: "poisson", perSecond: 10, steps: [{ atMs: 5_000, perSecond: 20 }], class: "batch" },
    { kind: "even", perSecond: 0.5, name: "probe", fairnessKey: "a" },
    { kind: "burst", size: 5, atMs: 0, everyMs: 1_000 },
    { kind: "closed-loop", clients: 4, think: { kind: "exponential", meanMs: 900 } },
  ],
  server: {
    slots: 4,
    service: { kind: "lognormal", meanMs: 100, sigma: 1 },
    firstByte: { kind: "bimodal", fastMs: 20, slowMs: 200, slowShare: 0.1 },
    steps: [{ atMs: 30_000, slots: 2, service: { kind: "constant", meanMs: 5 }, isHanging: true }],
    abandoned: "cancel",
  },
  client: {
    timeoutMs: 2_000,
    retries: { max: 2, delayMinMs: 0, delayMaxMs: 100, backoff: 2, after: ["rejected"] },
  },
  phases: [{ name: "all", fromMs: 0, toMs: 60_000 }],
  expectations: [{ phase: "all", measure: "goodput", atLeast: 9, slack: 0.1, over: "each" }],
  heldUntil: "first-byte",
  sampledAt: "end",
};

/** The paths of what is wrong with a scenario; none if nothing is. */
function problemsOf(scenario: unknown): readonly string[] {
  try {
    readScenario(scenario);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    return error.problems.map(({ path }) => path);
  }
}

describe("readScenario", () => {
  it("takes a scenario from JSON as it is", () => {
    const read: unknown = JSON.parse(JSON.stringify(good));
    expect(readScenario(read)).toEqual(good);
  });

  it.each(overloadScenarios.map((scenario) => [scenario.name, scenario] as const))(
    "takes the published scenario %s",
    (_, scenario) => {
      expect(problemsOf(scenario)).toEqual([]);
    },
  );

  it("lists everything that is wrong at once", () => {
    const wrong = { ...good, name: "", durationMs: 0, sources: [], colour: "red" };
    expect(problemsOf(wrong)).toEqual([
      "colour",
      "name",
      "durationMs",
      "sources",
      "phases[0].toMs",
    ]);
  });

  const cases: readonly (readonly [string, object])[] = [
    ["options", []],
    ["title", { title: 5 }],
    ["durationMs", { durationMs: 60_500 }],
    ["sources[0].kind", { sources: [{ kind: "tide" }] }],
    ["sources[0].kind", { sources: [null] }],
    ["sources[0].perSecond", { sources: [{ kind: "poisson", perSecond: -1 }] }],
    ["sources[0].perSecond", { sources: [{ kind: "even" }] }],
    ["sources[0].size", { sources: [{ kind: "poisson", perSecond: 1, size: 4 }] }],
    ["sources[0].size", { sources: [{ kind: "burst", size: 0, atMs: 0 }] }],
    ["sources[0].think.kind", { sources: [{ kind: "closed-loop", clients: 1 }] }],
    ["sources[0].class", { sources: [{ kind: "even", perSecond: 1, class: "" }] }],
    [
      "sources[0].steps[1].atMs",
      { sources: [{ kind: "even", perSecond: 1, steps: [{ atMs: 1, perSecond: 1 }, {}] }] },
    ],
    ["server.slots", { server: { ...good.server, slots: 0 } }],
    ["server.service.meanMs", { server: { ...good.server, service: { kind: "constant" } } }],
    ["server.service.kind", { server: { ...good.server, service: { kind: "normal" } } }],
    ["server.service.kind", { server: { ...good.server, service: "100 ms" } }],
    ["server.firstByte", { server: { ...good.server, discipline: "processor-sharing" } }],
    ["server.steps", { server: { ...good.server, steps: "none" } }],
    [
      "server.steps[0].isHanging",
      { server: { ...good.server, steps: [{ atMs: 1, isHanging: 1 }] } },
    ],
    ["server.abandoned", { server: { ...good.server, abandoned: "zombie" } }],
    ["client.timeoutMs", { client: { timeoutMs: 0 } }],
    [
      "client.retries.delayMaxMs",
      { client: { retries: { max: 1, delayMinMs: 9, delayMaxMs: 8 } } },
    ],
    [
      "client.retries.after[0]",
      { client: { retries: { max: 1, delayMinMs: 0, delayMaxMs: 0, after: ["refusal"] } } },
    ],
    ["phases[0].toMs", { phases: [{ name: "all", fromMs: 0, toMs: 61_000 }] }],
    ["phases[0].fromMs", { phases: [{ name: "all", fromMs: 100, toMs: 60_000 }] }],
    ["expectations[0].measure", { expectations: [{ phase: "all", measure: "joy", atMost: 1 }] }],
    ["expectations[0].phase", { expectations: [{ phase: "end", measure: "p50Ms", atMost: 1 }] }],
    ["expectations[0].atMost", { expectations: [{ phase: "all", measure: "p50Ms" }] }],
    ["heldUntil", { heldUntil: "later" }],
  ];

  it.each(cases)("says what is wrong at %s: %j", (path, change) => {
    const problems = problemsOf(Array.isArray(change) ? change : { ...good, ...change });
    expect(problems).toContain(path);
  });

  it("refuses a first byte in a step of a server that has none", () => {
    const { firstByte, ...server } = good.server;
    const steps = [{ atMs: 1, firstByte }];
    expect(problemsOf({ ...good, server: { ...server, steps } })).toEqual([
      "server.steps[0].firstByte",
    ]);
  });
});
