import { describe, expect, it } from "vitest";
import { feedFull, sampleOf } from "../../test/adaptive/samples";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { type AimdOptions, aimd } from "./aimd";

describe("aimd", () => {
  it("grows by one, falls by a tenth and stays within its range (U1)", () => {
    const grown = aimd();
    grown.onSample(sampleOf({ inFlight: 10 }));
    expect(grown.limit).toBe(21);
    const fallen = aimd({ initial: 30 });
    fallen.onSample(sampleOf({ dropped: true }));
    expect(fallen.limit).toBe(27);
    const atMax = aimd({ initial: 21, min: 20, max: 21 });
    atMax.onSample(sampleOf({ inFlight: 21 }));
    expect(atMax.limit).toBe(21);
  });

  it("falls from 200 to its floor in 21 drops (U2)", () => {
    const limits = feedFull(aimd({ initial: 200 }), 22, { dropped: true });
    expect(limits).toEqual([
      180, 162, 145, 130, 117, 105, 94, 84, 75, 67, 60, 54, 48, 43, 38, 34, 30, 27, 24, 21, 20, 20,
    ]);
  });

  it("takes a latency above its time-out for a drop", () => {
    const algorithm = aimd({ initial: 100, timeoutMs: 1000 });
    algorithm.onSample(sampleOf({ latencyMs: 1000, inFlight: 1 }));
    expect(algorithm.limit).toBe(100);
    algorithm.onSample(sampleOf({ latencyMs: 1001, inFlight: 1 }));
    expect(algorithm.limit).toBe(90);
    expect(algorithm.reason).toBe("loss");
  });

  it("does not grow while less than half of it is used", () => {
    const algorithm = aimd({ initial: 20 });
    algorithm.onSample(sampleOf({ inFlight: 9 }));
    expect(algorithm.limit).toBe(20);
  });

  it.each([
    [{ backoff: 1 }, "backoff: expected a number from 0.5 to below 1, received 1 (number)"],
    [{ backoff: Number.NaN }, "backoff: expected a number from 0.5 to 1, received NaN (number)"],
    [{ initial: 300 }, "initial: expected an integer from 20 to 200, received 300 (number)"],
    [{ min: 0 }, "min: expected an integer of 1 or more, received 0 (number)"],
    [{ minimum: 1 }, "minimum: expected no such option"],
  ])("refuses %o", (options, message) => {
    expect(() => aimd(options as AimdOptions)).toThrow(InvalidOptionsError);
    expect(() => aimd(options as AimdOptions)).toThrow(message);
  });
});
