import type { Descriptor } from "@sluice/core";
import fc from "fast-check";

const TEN_KILOBYTES = 10_240;

/**
 * Ids that have broken limiters: names every JavaScript object has, texts that look like nothing,
 * the separators and braces of store keys, text that a normaliser or UTF-8 would fold together, and
 * ids of 10 kB that differ in one character.
 */
export const nastyIds: readonly string[] = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "undefined",
  "null",
  "NaN",
  "0",
  "-1",
  " ",
  "a ",
  "\n",
  "\u0000",
  "a\u0000b",
  "{",
  "}",
  "{}",
  "{a}",
  ":",
  "::",
  "a:b",
  "a:b:c",
  "%",
  "%3A",
  "%003A",
  "a%3Ab",
  "#",
  "\\",
  "\\:",
  ",",
  "|",
  "/",
  '"a"',
  '["a"]',
  "a,b",
  "*",
  "é",
  "e\u0301",
  "\ud800",
  "\ud801",
  "\udfff",
  "\ufffd",
  "a\ud800",
  "😀",
  "A",
  "a",
  `${"x".repeat(TEN_KILOBYTES - 1)}y`,
  `${"x".repeat(TEN_KILOBYTES - 1)}z`,
  "😀".repeat(TEN_KILOBYTES / 4),
  ":".repeat(TEN_KILOBYTES),
];

/**
 * Texts that may be an id or a part of one, never empty: ordinary, nasty, and of any UTF-16 units.
 */
export function anyIdText(): fc.Arbitrary<string> {
  const utf16Unit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
  return fc.oneof(
    fc.constantFrom(...nastyIds),
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.array(utf16Unit, { minLength: 1, maxLength: 6 }).map((units) => units.join("")),
    fc.integer({ min: 1, max: 30 }).map((user) => `user-${user}`),
  );
}

/** Ids of descriptors: a text, or a list of 1 to 4 texts. */
export function anyId(): fc.Arbitrary<Descriptor["id"]> {
  return fc.oneof(anyIdText(), fc.array(anyIdText(), { minLength: 1, maxLength: 4 }));
}

/**
 * Two ids of different subjects, mostly such as a careless key would mix up: the same characters
 * cut at other places, escaped beside plain, or one character apart at the end of a long text.
 */
export function anyTwoIds(): fc.Arbitrary<readonly [Descriptor["id"], Descriptor["id"]]> {
  const piece = fc.constantFrom(
    "a",
    ":",
    "::",
    "{",
    "}",
    "%",
    "%3A",
    "\u0000",
    "\\",
    ",",
    "#",
    "1",
  );
  const pieces = fc.array(piece, { minLength: 2, maxLength: 6 });
  const glue = fc.constantFrom("", ":", ",", "\u0000");
  const cutTwice = fc
    .tuple(pieces, glue, fc.nat(), fc.nat())
    .map(([list, by, one, other]) => [cut(list, by, one), cut(list, by, other)] as const);
  const anEndApart = fc
    .tuple(fc.integer({ min: 1, max: TEN_KILOBYTES }), piece, piece)
    .map(([length, one, other]) => {
      const start = "x".repeat(length);
      return [start + one, start + other] as const;
    });
  return fc
    .oneof(cutTwice, anEndApart, fc.tuple(anyId(), anyId()))
    .filter(([one, other]) => subjectOf(one) !== subjectOf(other));
}

/** Glues neighbouring pieces together where a bit of `where` is clear, so that parts remain. */
function cut(pieces: readonly string[], glue: string, where: number): Descriptor["id"] {
  const parts: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    const last = parts.at(-1);
    if (last === undefined || (where >>> at) & 1) parts.push(piece);
    else parts[parts.length - 1] = last + glue + piece;
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : parts;
}

/** Equal for two ids exactly if they name the same subject: a text is the list of that text. */
export function subjectOf(id: Descriptor["id"]): string {
  const parts = typeof id === "string" ? [id] : id;
  return parts.map((part) => `${part.length}.${part}`).join("");
}
