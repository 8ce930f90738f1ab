import { describe, expect, it } from "vitest";
import { retryAfterSeconds, waitMs } from "./retry-after";

const rejection = (retryAfterMs: number | undefined, retryable = true) => ({
  reason: "window_exhausted" as const,
  retryable,
  violated: [],
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

describe("Retry-After", () => {
  it.each([
    // R053: fractions are rounded up, and a 429 never says "now".
    [493, 1],
    [1499, 2],
    [0.2, 1],
    [-3, 1],
    [0, 1],
    // The exact second is not rounded further.
    [1000, 1],
    [1001, 2],
    [59_999, 60],
    [60_000, 60],
    [600_000, 600],
    [86_400_000, 86_400],
  ])("R053: a wait of %d ms is announced as %d s", (ms, seconds) => {
    expect(retryAfterSeconds(rejection(ms))).toBe(seconds);
  });

  it("R084: is never earlier than the true wait and less than a second later", () => {
    for (let ms = 1; ms < 200_000; ms += 37) {
      const announcedMs = (retryAfterSeconds(rejection(ms)) ?? Number.NaN) * 1000;
      expect(announcedMs).toBeGreaterThanOrEqual(ms);
      expect(announcedMs - ms).toBeLessThan(1000);
    }
  });

  it("is absent when no wait is known", () => {
    expect(retryAfterSeconds(rejection(undefined))).toBeUndefined();
    expect(retryAfterSeconds(rejection(Number.NaN))).toBeUndefined();
    expect(retryAfterSeconds(rejection(Number.POSITIVE_INFINITY))).toBeUndefined();
  });

  it("is absent when no wait helps", () => {
    expect(retryAfterSeconds(rejection(5000, false))).toBeUndefined();
  });

  it("keeps the exact milliseconds, whole and at least 1", () => {
    expect(waitMs(rejection(250))).toBe(250);
    expect(waitMs(rejection(0.2))).toBe(1);
    expect(waitMs(rejection(-3))).toBe(1);
  });
});
