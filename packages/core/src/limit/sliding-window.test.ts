import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { type SlidingWindowOptions, slidingWindow } from "./sliding-window";

describe("slidingWindow", () => {
  it("cuts its window into 10 unless told otherwise", () => {
    expect(slidingWindow({ max: 100, windowMs: 60_000 })).toEqual({
      kind: "sliding-window",
      name: "sliding-window-requests-60s",
      unit: "requests",
      max: 100,
      windowMs: 60_000,
      buckets: 10,
      mode: "enforce",
    });
  });

  it("keeps what it is told", () => {
    const options: SlidingWindowOptions = {
      unit: "tokens",
      max: 7,
      windowMs: 600,
      buckets: 6,
      name: "tpm",
      mode: "shadow",
    };
    expect(slidingWindow(options)).toEqual({ kind: "sliding-window", ...options });
  });

  it.each([1, 100])("takes %d buckets", (buckets) => {
    expect(slidingWindow({ max: 1, windowMs: 100, buckets }).buckets).toBe(buckets);
  });

  it.each([0, 101, 1.5, -1])("refuses %d buckets", (buckets) => {
    const make = () => slidingWindow({ max: 1, windowMs: 1_000, buckets });
    expect(problemPathsOf(make)).toEqual(["buckets"]);
  });

  it.each([
    { windowMs: 1_001, buckets: 10 },
    { windowMs: 5, buckets: 10 },
    { windowMs: 1_000, buckets: 7 },
  ])("refuses a window that its buckets do not divide: $windowMs / $buckets", (options) => {
    expect(() => slidingWindow({ max: 1, ...options })).toThrow(
      `windowMs: expected a multiple of buckets (${options.buckets}), ` +
        `received ${options.windowMs} (number)`,
    );
  });

  it.each([Number.NaN, undefined, "1000", 0])(
    "names a window of %s once, not also as no multiple of its buckets",
    (windowMs) => {
      const make = () => slidingWindow({ max: 1, windowMs: windowMs as number });
      expect(problemPathsOf(make)).toEqual(["windowMs"]);
    },
  );
});
