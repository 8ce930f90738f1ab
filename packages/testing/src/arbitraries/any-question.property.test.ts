import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCost, anyQuestion } from "./any-question";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 500, seed: 7 });

describe("anyQuestion", () => {
  it("draws costs with, without and with none of the units, from 0 to the largest", () => {
    const costs = sample(anyCost({ units: ["requests", "tokens"], costMax: 3 }));
    const keys = new Set(costs.map((cost) => Object.keys(cost).sort().join()));
    expect(keys).toEqual(new Set(["", "requests", "tokens", "requests,tokens"]));
    expect(new Set(costs.flatMap((cost) => Object.values(cost)))).toEqual(new Set([0, 1, 2, 3]));
  });

  it("draws questions with and without a cost", () => {
    const questions = sample(anyQuestion());
    expect(new Set(questions.map((each) => "cost" in each))).toEqual(new Set([true, false]));
    expect(questions.every((each) => each.descriptors.length >= 1)).toBe(true);
  });
});
