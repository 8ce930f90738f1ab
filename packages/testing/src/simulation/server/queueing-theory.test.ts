import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import { runScenario } from "../run/run-scenario";
import type { ServerModel } from "../scenario/scenario";

/** The share of arrivals that wait in M/M/c (Erlang's formula C). */
function erlangC(slots: number, load: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; n < slots; n++) {
    term *= load / n;
    sum += term;
  }
  const full = ((term * load) / slots) * (slots / (slots - load));
  return full / (sum + full);
}

/** The mean latency of everybody, by Little's law from the mean in flight. */
function meanLatencyMs(perSecond: number, server: ServerModel): number {
  const scenario = {
    name: "theory",
    title: "a queue that a formula knows",
    durationMs: 2_000_000,
    sources: [{ kind: "poisson" as const, perSecond }],
    server,
    phases: [{ name: "steady", fromMs: 100_000, toMs: 2_000_000 }],
  };
  const run = runScenario(scenario, { limit: () => fixedLimit(1_000_000), seed: 5 });
  const { meanInFlight, offered } = run.phase("steady");
  return (meanInFlight / offered) * 1_000;
}

describe("the model of a server", () => {
  const service = { kind: "exponential", meanMs: 100 } as const;

  it.each([
    { slots: 1, perSecond: 7 },
    { slots: 5, perSecond: 40 },
    { slots: 12, perSecond: 96 },
  ])("waits as Erlang says: $slots slots, $perSecond per second", ({ slots, perSecond }) => {
    const load = (perSecond * 100) / 1_000;
    const expectedMs = 100 + (erlangC(slots, load) * 100) / (slots - load);
    expect(meanLatencyMs(perSecond, { slots, service }) / expectedMs).toBeCloseTo(1, 1);
  });

  it("waits half as long when service takes the same each time (Pollaczek and Khinchin)", () => {
    const constant = { kind: "constant", meanMs: 100 } as const;
    const expectedMs = 100 + (0.7 * 100) / (2 * (1 - 0.7));
    const measuredMs = meanLatencyMs(7, { slots: 1, service: constant });
    expect(measuredMs / expectedMs).toBeCloseTo(1, 1);
  });

  it.each([service, { kind: "bimodal", fastMs: 50, slowMs: 550, slowShare: 0.1 } as const])(
    "has a mean latency under processor sharing that only the mean of service decides: %j",
    (each) => {
      const server = { slots: 1, service: each, discipline: "processor-sharing" } as const;
      expect(meanLatencyMs(7, server) / (100 / (1 - 0.7))).toBeCloseTo(1, 1);
    },
  );
});
