import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { type TokenBucketOptions, tokenBucket } from "./token-bucket";

describe("tokenBucket", () => {
  it("holds its capacity as max", () => {
    expect(tokenBucket({ capacity: 100, refill: 5, perMs: 1_000 })).toEqual({
      kind: "token-bucket",
      name: "token-bucket-requests-1s",
      unit: "requests",
      max: 100,
      refill: 5,
      perMs: 1_000,
      mode: "enforce",
    });
  });

  it("keeps what it is told", () => {
    const limit = tokenBucket({
      unit: "tokens",
      capacity: 0,
      refill: 1,
      perMs: 1,
      name: "burst",
      mode: "shadow",
    });
    expect(limit).toMatchObject({ unit: "tokens", max: 0, name: "burst", mode: "shadow" });
  });

  it.each([0, -1, 0.1])("refuses a refill of %d", (refill) => {
    const make = () => tokenBucket({ capacity: 1, refill, perMs: 1_000 });
    expect(problemPathsOf(make)).toEqual(["refill"]);
  });

  it("takes what stays below 2^53 when multiplied by its time, and no more", () => {
    const largest = 9_007_199_254_740; // The largest n with n * 1000 < 2^53.
    const make = (capacity: number, refill: number) => () =>
      tokenBucket({ capacity, refill, perMs: 1_000 });
    expect(problemPathsOf(make(largest, largest))).toEqual([]);
    expect(problemPathsOf(make(largest + 1, 1))).toEqual(["capacity"]);
    expect(problemPathsOf(make(1, largest + 1))).toEqual(["refill"]);
    expect(make(largest + 1, largest + 1)).toThrow(
      `capacity: expected at most ${largest}, so that capacity × perMs stays below 2^53`,
    );
  });

  it("lists everything that is wrong, each once", () => {
    const options = { max: 5, capacity: "9", refill: null, perMs: Number.NaN };
    const make = () => tokenBucket(options as unknown as TokenBucketOptions);
    expect(problemPathsOf(make)).toEqual(["max", "perMs", "capacity", "refill"]);
  });
});
