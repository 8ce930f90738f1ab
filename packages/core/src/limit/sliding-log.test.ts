import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { SLIDING_LOG_MAX, type SlidingLogOptions, slidingLog } from "./sliding-log";

describe("slidingLog", () => {
  it("counts requests and refuses unless told otherwise", () => {
    expect(slidingLog({ max: 100, windowMs: 60_000 })).toEqual({
      kind: "sliding-log",
      name: "sliding-log-requests-60s",
      unit: "requests",
      max: 100,
      windowMs: 60_000,
      mode: "enforce",
    });
  });

  it("keeps what it is told", () => {
    const options: SlidingLogOptions = {
      unit: "tokens",
      max: 0,
      windowMs: 1,
      name: "log",
      mode: "shadow",
    };
    expect(slidingLog(options)).toEqual({ kind: "sliding-log", ...options });
  });

  it("takes at most 1 000 units, since memory grows with them", () => {
    expect(SLIDING_LOG_MAX).toBe(1_000);
    expect(slidingLog({ max: 1_000, windowMs: 1 }).max).toBe(1_000);
    expect(() => slidingLog({ max: 1_001, windowMs: 1 })).toThrow(
      "max: expected an integer from 0 to 1000, received 1001 (number)",
    );
  });

  it("lists everything that is wrong", () => {
    const options = { max: Number.NaN, windowMs: -1, buckets: 10 } as SlidingLogOptions;
    expect(problemPathsOf(() => slidingLog(options))).toEqual(["buckets", "windowMs", "max"]);
  });
});
