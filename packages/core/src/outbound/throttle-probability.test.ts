import { describe, expect, it } from "vitest";
import { throttleProbability } from "./throttle-probability";

describe("throttleProbability", () => {
  it.each([
    // requests, accepts, k, probability: vectors U19, and what they leave out.
    [100, 50, 2, 0],
    [100, 40, 2, 20 / 101],
    [100, 20, 2, 60 / 101],
    [100, 0, 2, 100 / 101],
    [100, 90, 1.1, 1 / 101],
    [100, 80, 1.1, 12 / 101],
    [0, 0, 2, 0],
    [1, 0, 2, 0.5],
    [100, 100, 1, 0],
  ])("of %d requests and %d accepts with k = %d is %d", (requests, accepts, k, probability) => {
    expect(throttleProbability({ requests, accepts }, k)).toBeCloseTo(probability, 10);
  });

  it.each([
    [100, 40, 2, 0.198],
    [100, 20, 2, 0.594],
    [100, 0, 2, 0.99],
    [100, 90, 1.1, 0.0099],
    [100, 80, 1.1, 0.1188],
  ])("of %d and %d with k = %d is %d as printed (U19)", (requests, accepts, k, printed) => {
    expect(Math.abs(throttleProbability({ requests, accepts }, k) - printed)).toBeLessThan(5e-4);
  });
});
