import type { Descriptor } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyId, anyTwoIds, nastyIds } from "./any-id";

const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { numRuns: 2_000, seed: 7 });

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
    const missing = nastyIds.filter((id) => !drawn.has(id));
    expect(missing.map((id) => id.slice(0, 20))).toEqual([]);
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
