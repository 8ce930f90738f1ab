import { describe, expect, it } from "vitest";
import { HoldTime } from "./hold-time";

function holdTimeOf(...holds: number[]): HoldTime {
  const holdTime = new HoldTime();
  for (const heldMs of holds) holdTime.add(heldMs);
  return holdTime;
}

describe("HoldTime", () => {
  it("predicts no wait as long as nothing is known", () => {
    const holdTime = holdTimeOf();
    expect(holdTime.meanMs).toBeUndefined();
    expect(holdTime.predictedWaitMs({ place: 1_000, cap: 1 })).toBe(0);
  });

  it("knows that a hold of 0 ms is a hold", () => {
    expect(holdTimeOf(0).meanMs).toBe(0);
  });

  it("is the plain mean of the first 32 holds, so that no single one dominates", () => {
    expect(holdTimeOf(100, 200, 600).meanMs).toBe(300);
    const first32 = Array.from({ length: 32 }, (_, index) => index);
    expect(holdTimeOf(...first32).meanMs).toBeCloseTo(15.5, 9);
  });

  it("forgets afterwards: each further hold weighs a thirty-second", () => {
    const all100 = Array.from({ length: 32 }, () => 100);
    expect(holdTimeOf(...all100, 420).meanMs).toBeCloseTo(110, 9);
    expect(holdTimeOf(...all100, 420, 110, 430).meanMs).toBeCloseTo(120, 9);
  });

  it("predicts place x mean / cap", () => {
    const holdTime = holdTimeOf(400, 600);
    expect(holdTime.predictedWaitMs({ place: 1, cap: 1 })).toBe(500);
    expect(holdTime.predictedWaitMs({ place: 3, cap: 2 })).toBe(750);
  });
});
