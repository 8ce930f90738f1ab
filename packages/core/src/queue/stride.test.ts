import { describe, expect, it } from "vitest";
import { Stride, type Strider, strideOf, WEIGHT_MAX, WEIGHT_MIN } from "./stride";

function memberOf(weight: number): Strider {
  return { pass: 0, stride: strideOf(weight) };
}

/** Whose turns the next `count` are, by index, if all wait; the first of equals goes first. */
function turns(stride: Stride, members: readonly Strider[], count: number): number[] {
  return Array.from({ length: count }, () => {
    const passes = members.map(({ pass }) => pass);
    const index = passes.indexOf(Math.min(...passes));
    stride.charge(members[index] as Strider);
    return index;
  });
}

function strideWith(...weights: number[]) {
  const stride = new Stride();
  const members = weights.map(memberOf);
  for (const member of members) stride.add(member);
  return { stride, members };
}

describe("Stride", () => {
  it.each([
    { weights: [0.75, 0.25], first: [0, 1, 0, 0, 0, 1, 0, 0] },
    { weights: [1, 1], first: [0, 1, 0, 1, 0, 1] },
    { weights: [3, 2, 1], first: [0, 1, 2, 0, 1, 0, 0, 1, 2] },
  ])("deals turns by $weights", ({ weights, first }) => {
    const { stride, members } = strideWith(...weights);
    expect(turns(stride, members, first.length)).toEqual(first);
  });

  it.each([
    [0.75, 0.25],
    [3, 7],
    [0.35, 0.65],
    [1 / 3, 2 / 3],
    [WEIGHT_MIN, 1],
    [WEIGHT_MAX, 1],
  ])(
    "gives %d and %d what they weigh, within one turn, after a hundred thousand of them",
    (a, b) => {
      const { stride, members } = strideWith(a, b);
      const dealt = turns(stride, members, 100_000);
      const got = dealt.filter((index) => index === 0).length;
      expect(Math.abs(got - (100_000 * a) / (a + b))).toBeLessThanOrEqual(1);
    },
  );

  it("keeps integers, and its order when it begins to count anew", () => {
    const { stride, members } = strideWith(WEIGHT_MIN, WEIGHT_MIN);
    for (let turn = 0; turn < 1000; turn++) {
      expect(turns(stride, members, 2)).toEqual([0, 1]);
      for (const { pass } of members) expect(Number.isSafeInteger(pass)).toBe(true);
    }
  });

  it("lets nobody save up turns while away", () => {
    const { stride, members } = strideWith(1, 1);
    const [a, b] = members as [Strider, Strider];
    for (let turn = 0; turn < 1000; turn++) stride.charge(a);
    stride.comeBack(b);
    const got = turns(stride, [a, b], 10).filter((index) => index === 1).length;
    expect(got).toBe(5);
  });

  it("gives one turn, not all, to who could not use its turns", () => {
    const { stride, members } = strideWith(1, 1);
    const [a, b] = members as [Strider, Strider];
    // b is first all the time, but does not fit.
    for (let turn = 0; turn < 1000; turn++) stride.charge(a);
    expect(turns(stride, [a, b], 4)).toEqual([1, 0, 1, 0]);
  });

  it("does not hold a small weight of the past against a member", () => {
    const { stride, members } = strideWith(1, WEIGHT_MIN);
    const [a, b] = members as [Strider, Strider];
    stride.charge(b);
    stride.reweigh(b, strideOf(1));
    const got = turns(stride, [a, b], 10).filter((index) => index === 1).length;
    expect(got).toBeGreaterThanOrEqual(4);
  });
});
