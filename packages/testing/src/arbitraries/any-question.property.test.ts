import { concurrency, type Descriptor } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyDescriptor, anyDescriptors, anyKind } from "./any-descriptor";
import { anyId, anyTwoIds, nastyIds } from "./any-id";
import { anyCost, anyQuestion } from "./any-question";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 800, seed: 7 });

const partsOf = (id: Descriptor["id"]) => (typeof id === "string" ? [id] : id);

describe("nastyIds", () => {
  it("are different, not empty, and hold the shapes that have broken limiters", () => {
    expect(new Set(nastyIds).size).toBe(nastyIds.length);
    expect(nastyIds.every((id) => id.length > 0)).toBe(true);
    expect(nastyIds).toEqual(expect.arrayContaining(["__proto__", "{a}", "a:b", "\ud800"]));
    expect(nastyIds.filter((id) => id.length >= 5_000).length).toBeGreaterThan(2);
  });
});

describe("anyId", () => {
  it("draws texts and lists, never an empty text or list, and every nasty id", () => {
    const ids = sample(anyId());
    expect(ids.every((id) => id.length > 0 && partsOf(id).every((part) => part.length > 0))).toBe(
      true,
    );
    expect(new Set(ids.map((id) => typeof id))).toEqual(new Set(["string", "object"]));
    const drawn = new Set(ids.flatMap(partsOf));
    expect(nastyIds.filter((id) => !drawn.has(id))).toEqual([]);
  });
});

describe("anyTwoIds", () => {
  it("never draws one subject twice, a text being the same as the list of that text", () => {
    fc.assert(
      fc.property(anyTwoIds(), ([one, other]) => {
        expect(partsOf(one)).not.toEqual(partsOf(other));
      }),
    );
  });

  it("often draws pairs that are the same text once joined by nothing or by a colon", () => {
    const pairs = sample(anyTwoIds());
    const confused = (glue: string) =>
      pairs.filter(([one, other]) => partsOf(one).join(glue) === partsOf(other).join(glue)).length;
    expect(confused("")).toBeGreaterThan(100);
    expect(confused(":")).toBeGreaterThan(100);
  });

  it("draws pairs of long texts that differ in the last characters only", () => {
    const apart = sample(anyTwoIds()).filter(
      ([one, other]) => one.length > 1_000 && one.slice(0, 1_000) === other.slice(0, 1_000),
    );
    expect(apart.length).toBeGreaterThan(100);
  });
});

describe("anyDescriptor", () => {
  it("draws kinds of the allowed characters and lengths, the longest among them", () => {
    const kinds = sample(anyKind());
    for (const kind of kinds) expect(kind).toMatch(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
    expect(Math.max(...kinds.map((kind) => kind.length))).toBe(64);
  });

  it("takes the wanted limits and ids", () => {
    const limits = [concurrency({ max: 2 })];
    const shape = { limits: fc.constant(limits), ids: fc.constant("me") };
    for (const descriptor of sample(anyDescriptor(shape))) {
      expect(descriptor).toEqual({ kind: descriptor.kind, id: "me", limits });
    }
  });

  it("draws one to three descriptors of different subjects", () => {
    const lists = sample(anyDescriptors({ ids: fc.constantFrom("a", ["a"], ["a", "b"]) }));
    for (const list of lists) {
      const subjects = list.map(({ kind, id }) => JSON.stringify([kind, partsOf(id)]));
      expect(new Set(subjects).size).toBe(list.length);
    }
    expect(new Set(lists.map((list) => list.length))).toEqual(new Set([1, 2, 3]));
  });
});

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
