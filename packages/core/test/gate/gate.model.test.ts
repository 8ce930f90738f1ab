import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NaiveGate } from "./naive-gate";
import { anyRatio, anyUpdate, capUpdate, scenarioWith } from "./scenario";
import { Subject, wind } from "./subject";
import { expectAgreement, take } from "./take";

const often = { numRuns: 150 };

describe("a gate", () => {
  it("agrees with a list of requests after every step", async () => {
    await fc.assert(
      fc.asyncProperty(scenarioWith(anyUpdate, anyRatio), async (scenario) => {
        const subject = new Subject(scenario);
        const model = new NaiveGate(scenario);
        for (const step of scenario.steps) {
          await take(step, subject, model);
          expectAgreement(subject, model);
        }
      }),
      often,
    );
  });

  it("keeps its cap, its order and its promises, and loses no wake-up", async () => {
    await fc.assert(
      fc.asyncProperty(scenarioWith(capUpdate, fc.constant(1)), async (scenario) => {
        const subject = new Subject(scenario);
        const model = new NaiveGate(scenario);
        for (const step of scenario.steps) {
          const before = subject.gate.stats().inFlight;
          await take(step, subject, model);
          const { inFlight, queued } = subject.gate.stats();
          const { maxInFlight } = subject.gate.settings;
          // More than the cap only because it was lowered, and then never more than before.
          expect(inFlight).toBeLessThanOrEqual(Math.max(maxInFlight, before));
          if (queued > 0) expect(inFlight).toBeGreaterThanOrEqual(maxInFlight);
        }
        await wind(subject);
        expect(subject.settlements).toBe(subject.answers.length);
        expect(subject.started).toEqual([...subject.started].sort((a, b) => a - b));
        for (const id of subject.started) {
          const { bound = 0 } = model.asked[id] ?? {};
          expect(subject.permits[id]?.waitedMs).toBeLessThan(bound);
        }
        expect(subject.gate.stats()).toMatchObject({ inFlight: 0, queued: 0 });
        expect(subject.clock.isIdle).toBe(true);
      }),
      often,
    );
  });
});
