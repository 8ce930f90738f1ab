import { seededRandom } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/runs";
import { aimd } from "./aimd";
import { adaptiveLimit } from "./create-adaptive-limit";
import { gradient } from "./gradient";
import { gradient2 } from "./gradient2";
import type { LimitAlgorithm } from "./limit-algorithm";
import { vegas } from "./vegas";
import { windowSampler } from "./window-sampler";

const floor = 2;
const ceiling = 60;

/** Every algorithm, made anew for each run. */
const algorithms: Readonly<Record<string, () => LimitAlgorithm | undefined>> = {
  "the default": () => undefined,
  aimd: () => aimd({ min: 1 }),
  vegas: () => vegas({ random: seededRandom(3) }),
  gradient: () => gradient({ random: seededRandom(3) }),
  gradient2: () => gradient2({ min: 1 }),
  "aimd in windows": () => windowSampler({ algorithm: aimd({ min: 1 }) }),
  "vegas in windows": () =>
    windowSampler({ algorithm: vegas({ random: seededRandom(3) }), statistic: 0.9 }),
  "gradient2 in windows": () => windowSampler({ algorithm: gradient2({ min: 1 }) }),
};

const anyLatency = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3000 }) },
  fc.constantFrom(Number.NaN, 0, -1, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300),
);

const anyStep = fc.record({
  /** The clock of the port never goes back; that of a bad port is survived. */
  afterMs: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
    fc.constantFrom(-5_000, 100_000, 10_000_000),
  ),
  latencyMs: anyLatency,
  inFlight: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 70 }) },
    fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY),
  ),
  outcome: fc.constantFrom(
    "success" as const,
    "success" as const,
    "dropped" as const,
    "ignored" as const,
  ),
  full: fc.boolean(),
  repeat: fc.integer({ min: 1, max: 40 }),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 40 });

/** The limit after each sample, the one at the start first. */
function play(algorithm: LimitAlgorithm | undefined, steps: readonly Step[]): number[] {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs, after: () => () => {} };
  const options = { floor, ceiling, clock, random: seededRandom(7) };
  const limit = adaptiveLimit(algorithm === undefined ? options : { ...options, algorithm });
  const trace = [limit.limit];
  for (const step of steps) {
    for (let each = 0; each < step.repeat; each++) {
      nowMs += step.afterMs;
      if (step.full) limit.onFull();
      limit.onSample(step);
      trace.push(limit.limit);
    }
  }
  return trace;
}

/** Places where the limit was higher than at any time before. */
function newHeights(trace: readonly number[]): number[] {
  let highest = trace[0] ?? 0;
  return trace.filter((limit) => {
    const isNew = limit > highest;
    if (isNew) highest = limit;
    return isNew;
  });
}

describe.each(Object.entries(algorithms))("An adaptive limit by %s", (_name, make) => {
  it("is an integer from floor to ceiling, whatever latencies and clocks are", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const bad = play(make(), steps).filter(
          (limit) => !(Number.isInteger(limit) && limit >= floor && limit <= ceiling),
        );
        expect(bad).toEqual([]);
      }),
      runs(60),
    );
  });

  it("goes the same way when everything is the same", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        expect(play(make(), steps)).toEqual(play(make(), steps));
      }),
      runs(30),
    );
  });

  it("does not grow without demand, coming back from measuring apart", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const idle = steps.map((step) => ({ ...step, full: false, inFlight: 1 }));
        expect(newHeights(play(make(), idle))).toEqual([]);
      }),
      runs(60),
    );
  });

  it("is not moved by what is ignored", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const ignored = steps.map((step) => ({ ...step, outcome: "ignored" as const }));
        expect(new Set(play(make(), ignored)).size).toBe(1);
      }),
      runs(20),
    );
  });
});

// Gradient2 by itself does not look at drops, as published: in windows it does.
const answering = Object.entries(algorithms).filter(([name]) => name !== "gradient2");

describe.each(answering)("An adaptive limit by %s", (_name, make) => {
  it("never grows while everything is dropped", () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const lost = steps.map((step) => ({ ...step, outcome: "dropped" as const }));
        const trace = play(make(), lost);
        expect(trace).toEqual([...trace].sort((a, b) => b - a));
      }),
      runs(60),
    );
  });
});
