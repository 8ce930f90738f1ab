import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixedLimit } from "../door/fixed-limit";
import type { Distribution } from "../scenario/distribution";
import { readScenario } from "../scenario/read-scenario";
import type { Scenario, ServerStep } from "../scenario/scenario";
import type { AttemptEnd } from "./prepare-run";
import { runScenario } from "./run-scenario";

const scale = Number(process.env.PROPERTY_RUNS_SCALE ?? 1);
const DURATION_MS = 20_000;
/** Nobody comes after this, and everybody is answered in what is left. */
const LAST_ARRIVAL_MS = 5_000;

const anyDistribution: fc.Arbitrary<Distribution> = fc.oneof(
  fc.record({
    kind: fc.constant("uniform" as const),
    meanMs: fc.integer({ min: 1, max: 60 }),
    spread: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant("constant" as const),
    meanMs: fc.integer({ min: 1, max: 60 }),
  }),
);

const anyStep: fc.Arbitrary<ServerStep> = fc
  .record(
    {
      atMs: fc.integer({ min: 0, max: LAST_ARRIVAL_MS }),
      slots: fc.integer({ min: 1, max: 8 }),
      service: anyDistribution,
      isHanging: fc.boolean(),
    },
    { requiredKeys: ["atMs"] },
  )
  .map((step) => step as ServerStep);

const anyScenario: fc.Arbitrary<Scenario> = fc
  .record({
    discipline: fc.constantFrom("fifo" as const, "processor-sharing" as const),
    abandoned: fc.constantFrom("finish" as const, "skip" as const, "cancel" as const),
    slots: fc.integer({ min: 1, max: 8 }),
    service: anyDistribution,
    steps: fc.array(anyStep, { maxLength: 4 }),
    perSecond: fc.integer({ min: 1, max: 60 }),
    burst: fc.integer({ min: 1, max: 20 }),
    timeoutMs: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
    retries: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })
  .map(
    ({ discipline, abandoned, slots, service, steps, perSecond, burst, timeoutMs, retries }) => ({
      name: "any",
      title: "any",
      durationMs: DURATION_MS,
      sources: [
        {
          kind: "poisson" as const,
          perSecond,
          steps: [{ atMs: LAST_ARRIVAL_MS, perSecond: 0 }],
        },
        { kind: "burst" as const, size: burst, atMs: 2_000, name: "burst" },
      ],
      server: {
        slots,
        service,
        discipline,
        abandoned,
        // Whatever hangs goes on in the end.
        steps: [...steps, { atMs: LAST_ARRIVAL_MS, isHanging: false, slots: 8 }],
      },
      client: {
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(retries !== undefined && {
          retries: { max: retries, delayMinMs: 0, delayMaxMs: 50 },
        }),
      },
      phases: [{ name: "all", fromMs: 0, toMs: DURATION_MS }],
    }),
  );

describe("any scenario", () => {
  it("ends every attempt exactly once, and leaves nothing behind", () => {
    fc.assert(
      fc.property(anyScenario, fc.integer({ min: 1, max: 30 }), (scenario, limit) => {
        const ends: AttemptEnd[] = [];
        const run = runScenario(readScenario(scenario), {
          limit: () => fixedLimit(limit),
          onAttemptEnd: (end) => ends.push(end),
        });
        const all = run.phase("all");
        const seconds = DURATION_MS / 1_000;
        const count = (end: AttemptEnd["end"]) => ends.filter((each) => each.end === end).length;
        expect(Math.round(all.attempted * seconds)).toBe(ends.length);
        expect(Math.round(all.goodput * seconds)).toBe(count("completed"));
        expect(Math.round(all.rejected * seconds)).toBe(count("rejected"));
        expect(Math.round(all.timedOut * seconds)).toBe(count("timedOut"));
        const last = run.seconds().at(-1);
        expect([last?.inFlight, last?.busy]).toEqual([0, 0]);
        expect(Math.max(...run.seconds().map((each) => each.inFlight))).toBeLessThanOrEqual(
          limit + 1e-9,
        );
      }),
      { numRuns: 150 * scale },
    );
  });
});
