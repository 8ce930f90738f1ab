import { anyId, anyKind, nastyIds } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import { idText } from "../../descriptor/key";
import type { DescriptorKey } from "../../engine/command";
import { KeyTexts } from "./key-texts";
import { slotOf } from "./slot";

const anyKey: fc.Arbitrary<DescriptorKey> = fc.record({
  kind: anyKind(),
  id: anyId().map((id) => idText(id)),
});

/** Short ones of few characters, so that two of them often begin alike. */
const anyCloseKey: fc.Arbitrary<DescriptorKey> = fc.record({
  kind: fc.string({ unit: fc.constantFrom("a", "-", "_"), minLength: 1, maxLength: 3 }),
  id: fc.string({ unit: fc.constantFrom("a", ":", "%", "#", "-"), minLength: 1, maxLength: 4 }),
});

const anyName = fc.string({
  unit: fc.constantFrom("a", "A", "0", "_", ".", "-"),
  minLength: 1,
  maxLength: 4,
});

/** What callers return, and what they should not. */
const anyTag = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "{", "}", "{}", "%", "a", "a:b", "\ud800", "é", " ", "a~b"),
);

interface Place {
  readonly key: DescriptorKey;
  readonly name: string | undefined;
}

const anyPlace: fc.Arbitrary<Place> = fc.record({
  key: fc.oneof(anyKey, anyCloseKey),
  name: fc.option(anyName, { nil: undefined }),
});

function textOf(texts: KeyTexts, { key, name }: Place): string {
  const chain = texts.chain(key);
  return name === undefined ? chain : texts.leases(chain, name);
}

const isSame = (a: Place, b: Place) =>
  a.key.kind === b.key.kind && a.key.id === b.key.id && a.name === b.name;

describe("The keys of a descriptor", () => {
  it("are read by anyone who knows kind, id and limit", () => {
    const texts = new KeyTexts("sluice", undefined);
    const chain = texts.chain({ kind: "user", id: "42:eu" });
    expect(chain).toBe("sluice1:{user:42:eu}");
    expect(texts.leases(chain, "slots")).toBe("sluice1:{user:42:eu}~slots");
    const tagged = new KeyTexts("", ({ id }) => id.slice(0, 2));
    expect(tagged.chain({ kind: "user", id: "42:eu" })).toBe("1:{42}user:42:eu");
  });

  it("are those of no other descriptor and no other limit", () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        fc.pre(!isSame(a, b));
        const texts = new KeyTexts("sluice", undefined);
        expect(textOf(texts, a)).not.toBe(textOf(texts, b));
      }),
      runs(1_000),
    );
  });

  it("are those of no other descriptor and no other limit, whatever the tags", () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, anyTag, anyTag, (a, b, tagOfA, tagOfB) => {
        fc.pre(!isSame(a, b));
        const isOfA = ({ kind, id }: DescriptorKey) => kind === a.key.kind && id === a.key.id;
        const texts = new KeyTexts("sluice", (key) => (isOfA(key) ? tagOfA : tagOfB));
        expect(textOf(texts, a)).not.toBe(textOf(texts, b));
      }),
      runs(1_000),
    );
  });

  it("are those of no other prefix", () => {
    fc.assert(
      fc.property(anyPlace, anyPlace, anyName, anyName, (a, b, one, other) => {
        fc.pre(one !== other);
        const texts = [new KeyTexts(one, undefined), new KeyTexts(other, undefined)] as const;
        expect(textOf(texts[0], a)).not.toBe(textOf(texts[1], b));
      }),
      runs(300),
    );
  });

  it("lie in one slot, and are of ASCII without blanks and further braces", () => {
    fc.assert(
      fc.property(anyKey, anyName, fc.option(anyTag, { nil: undefined }), (key, name, tag) => {
        const texts = new KeyTexts("sluice", tag === undefined ? undefined : () => tag);
        const chain = texts.chain(key);
        const leases = texts.leases(chain, name);
        expect(slotOf(chain)).toBe(texts.slot(key));
        expect(slotOf(leases)).toBe(texts.slot(key));
        expect(leases).toMatch(/^[!-z|~]*\{[!-z|~]+\}[!-z|~]*$/);
        expect(leases.indexOf("{")).toBe(leases.lastIndexOf("{"));
      }),
      runs(500),
    );
  });

  it("lie in one slot with those of the same tag", () => {
    fc.assert(
      fc.property(anyKey, anyKey, anyTag, (a, b, tag) => {
        const texts = new KeyTexts("sluice", () => tag);
        expect(texts.slot(a)).toBe(texts.slot(b));
      }),
      runs(200),
    );
  });

  it("stay in their slot whatever an id tries", () => {
    const texts = new KeyTexts("sluice", undefined);
    for (const id of [...nastyIds, "a}", "{b}", "}{c", "{}"]) {
      const key = { kind: "user", id: idText(id) };
      expect(texts.slot(key)).toBe(slotOf(`user:${idText(id)}`));
    }
  });
});

describe("A tag", () => {
  it.each([
    {
      what: "throws",
      hashTag: () => {
        throw new Error("no tag");
      },
    },
    { what: "returns nothing", hashTag: () => undefined },
    { what: "returns a number", hashTag: () => 5 },
  ])("is the descriptor's own where the function $what", ({ hashTag }) => {
    const texts = new KeyTexts("sluice", hashTag as unknown as () => string);
    const key = { kind: "user", id: "42" };
    expect(texts.chain(key)).toBe("sluice1:{user:42}user:42");
    expect(texts.slot(key)).toBe(new KeyTexts("sluice", undefined).slot(key));
  });

  it.each([
    { tag: "", text: "%" },
    { tag: "a{b}", text: "a%007Bb%007D" },
    { tag: "é", text: "%00E9" },
    { tag: "tenant:7", text: "tenant:7" },
  ])("$tag is written as $text", ({ tag, text }) => {
    const texts = new KeyTexts("p", () => tag);
    expect(texts.chain({ kind: "k", id: "i" })).toBe(`p1:{${text}}k:i`);
  });
});
