import { describe, expect, it } from "vitest";
import { anchorsOf, readMarkdown } from "./markdown";

describe("readMarkdown", () => {
  it("reads fences with their words, text and line", () => {
    const { fences } = readMarkdown("intro\n\n```ts run\nlet a = 1;\n```\n~~~\nplain\n~~~\n");
    expect(fences).toEqual([
      { info: ["ts", "run"], text: "let a = 1;", line: 3 },
      { info: [""], text: "plain", line: 6 },
    ]);
  });

  it("takes a shorter fence inside a longer one as text", () => {
    const { fences } = readMarkdown("````md\n```ts\n# no heading\n```\n````\n");
    expect(fences.map(({ text }) => text)).toEqual(["```ts\n# no heading\n```"]);
  });

  it("finds headings and links outside of fences and code only", () => {
    const text =
      "# One `two` #\n[a](x.md#y) `[b](no.md)`\n```sh\n# no\n[c](no.md)\n```\n[d]: z.md\n";
    const { headings, links } = readMarkdown(text);
    expect(headings).toEqual(["One `two`"]);
    expect(links).toEqual([
      { target: "x.md#y", line: 2 },
      { target: "z.md", line: 7 },
    ]);
  });
});

describe("anchorsOf", () => {
  it("drops marks, joins words with dashes and numbers what occurs twice", () => {
    const anchors = anchorsOf(["The `gate`, in short", "SLUICE_STORE_FULL", "Words", "Words"]);
    expect([...anchors]).toEqual(["the-gate-in-short", "sluice_store_full", "words", "words-1"]);
  });
});
