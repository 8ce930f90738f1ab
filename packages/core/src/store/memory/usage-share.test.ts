import { describe, expect, it } from "vitest";
import type { ConcurrencyState, FixedWindowState } from "../../engine/state";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import { holdsLeases, usageShare } from "./usage-share";

const windowState = (used: number, max: number, next: FixedWindowState | null = null) => ({
  limit: fixedWindow({ max, windowMs: 1_000 }),
  next,
  serial: 1,
  startMs: 0,
  used,
});

const slotsState = (expiriesMs: readonly number[], max: number): ConcurrencyState => ({
  limit: concurrency({ max }),
  next: null,
  serial: 1,
  ids: expiriesMs.map((_, index) => `lease-${index}`),
  expiriesMs,
});

describe("usageShare", () => {
  it.each([
    { used: 0, max: 10, share: 0 },
    { used: 5, max: 10, share: 0.5 },
    { used: 10, max: 10, share: 1 },
    { used: 25, max: 10, share: 2.5 },
    { used: 3, max: 0, share: 0 },
  ])("is $share for $used of $max", ({ used, max, share }) => {
    expect(usageShare(windowState(used, max), 0)).toBe(share);
  });

  it("is that of the tightest limit", () => {
    expect(usageShare(windowState(1, 10, windowState(9, 10)), 0)).toBe(0.9);
    expect(usageShare(windowState(9, 10, windowState(1, 10)), 0)).toBe(0.9);
  });

  it("is 0 for what is over, and for nothing", () => {
    expect(usageShare(windowState(10, 10), 1_000)).toBe(0);
    expect(usageShare(null, 0)).toBe(0);
  });

  it("counts live leases", () => {
    expect(usageShare(slotsState([50, 200], 4), 100)).toBe(0.25);
  });
});

describe("holdsLeases", () => {
  it("finds a lease anywhere in the chain", () => {
    expect(holdsLeases(null)).toBe(false);
    expect(holdsLeases(windowState(1, 10))).toBe(false);
    expect(holdsLeases(slotsState([50], 4))).toBe(true);
    expect(holdsLeases({ ...windowState(1, 10), next: slotsState([50], 4) })).toBe(true);
  });
});
