import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import { KeyTexts } from "../key/key-texts";
import { inOrder, partsBySlot, perTarget } from "./parts-by-slot";

/** Descriptors whose kind is their tag, so that a test says which share a slot. */
const byKind = new KeyTexts("p", ({ kind }) => kind);

const anyTargets = fc.array(
  fc.record({
    kind: fc.constantFrom("a", "b", "c"),
    id: fc.string({ unit: fc.constantFrom("x", "y"), maxLength: 3 }),
    items: fc.array(fc.nat(), { maxLength: 3 }),
  }),
  { maxLength: 8 },
);

describe("The parts of a command", () => {
  it("are its targets by slot, in the order in which slots occur", () => {
    const targets = ["b", "a", "b", "c", "a"].map((kind, place) => ({ kind, id: `${place}` }));
    const parts = partsBySlot(targets, byKind);
    expect(parts.map(({ places }) => places)).toEqual([[0, 2], [1, 4], [3]]);
    expect(parts.map(({ slot }) => slot)).toEqual(
      ["b", "a", "c"].map((kind) => byKind.slot({ kind, id: "any" })),
    );
  });

  it("hold each target once, and answers by part come back in the order of the command", () => {
    fc.assert(
      fc.property(anyTargets, (targets) => {
        const parts = partsBySlot(targets, byKind);
        expect(new Set(parts.map(({ slot }) => slot)).size).toBe(parts.length);
        for (const { slot, targets: own } of parts) {
          expect(own.length).toBeGreaterThan(0);
          for (const target of own) expect(byKind.slot(target)).toBe(slot);
        }
        const answers = parts.map(({ targets: own }) => own);
        expect(inOrder(parts, answers)).toEqual(targets);
      }),
      runs(300),
    );
  });

  it("are answered in flat lists that are cut target by target", () => {
    fc.assert(
      fc.property(anyTargets, (targets) => {
        const lists = targets.map(({ items }) => items);
        const counts = lists.map(({ length }) => length);
        expect(perTarget(lists.flat(), counts)).toEqual(lists);
      }),
      runs(100),
    );
  });
});
