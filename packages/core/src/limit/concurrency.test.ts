import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { type ConcurrencyOptions, concurrency } from "./concurrency";
import { DURATION_MAX_MS } from "./limit-options";

describe("concurrency", () => {
  it("counts slots, with leases of 30 s that are renewed for a day, unless told otherwise", () => {
    expect(concurrency({ max: 5 })).toEqual({
      kind: "concurrency",
      name: "concurrency-slots",
      unit: "slots",
      max: 5,
      leaseMs: 30_000,
      maxHoldMs: 86_400_000,
      mode: "enforce",
    });
  });

  it("keeps what it is told", () => {
    const options: ConcurrencyOptions = {
      max: 0,
      leaseMs: 1_000,
      maxHoldMs: 1_000,
      name: "max_parallel_requests",
      mode: "shadow",
    };
    expect(concurrency(options)).toEqual({ kind: "concurrency", unit: "slots", ...options });
  });

  it("renews a lease of more than a day for one lease, unless told otherwise", () => {
    const leaseMs = 3 * 86_400_000;
    expect(concurrency({ max: 1, leaseMs }).maxHoldMs).toBe(leaseMs);
  });

  it.each([10, DURATION_MAX_MS])("takes a lease of %d ms", (leaseMs) => {
    expect(concurrency({ max: 1, leaseMs, maxHoldMs: leaseMs }).leaseMs).toBe(leaseMs);
  });

  it.each([9, 0, -1, 10.5, DURATION_MAX_MS + 1])("refuses a lease of %d ms", (leaseMs) => {
    expect(problemPathsOf(() => concurrency({ max: 1, leaseMs }))).toEqual(["leaseMs"]);
  });

  it("takes at most 100 000 slots", () => {
    expect(concurrency({ max: 100_000 }).max).toBe(100_000);
    expect(problemPathsOf(() => concurrency({ max: 100_001 }))).toEqual(["max"]);
  });

  it("refuses to hold for less than a lease", () => {
    expect(() => concurrency({ max: 1, leaseMs: 1_000, maxHoldMs: 999 })).toThrow(
      "maxHoldMs: expected at least leaseMs (1000), received 999 (number)",
    );
  });

  it("does not compare with a lease that is wrong itself", () => {
    const make = () => concurrency({ max: 1, leaseMs: Number.NaN, maxHoldMs: 20_000 });
    expect(problemPathsOf(make)).toEqual(["leaseMs"]);
  });

  it("names a hold that is no duration once", () => {
    const make = () => concurrency({ max: 1, maxHoldMs: 0 });
    expect(problemPathsOf(make)).toEqual(["maxHoldMs"]);
  });

  it("has no other unit", () => {
    const options = { max: 1, unit: "requests" } as unknown as ConcurrencyOptions;
    expect(() => concurrency(options)).toThrow("unit: expected no such option");
  });
});
