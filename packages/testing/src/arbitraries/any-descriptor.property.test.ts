import { concurrency, type Descriptor } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyDescriptor, anyDescriptors, anyKind } from "./any-descriptor";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 500, seed: 7 });

const partsOf = (id: Descriptor["id"]) => (typeof id === "string" ? [id] : id);

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
