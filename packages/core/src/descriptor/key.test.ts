import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { idText } from "./key";

describe("idText", () => {
  it.each([
    ["user-1", "user-1"],
    ["a_b.c@d-e", "a_b.c@d-e"],
    ["a:b", "a%003Ab"],
    ["a b", "a%0020b"],
    ["{a}", "%007Ba%007D"],
    ["100%", "100%0025"],
    ["#1", "%00231"],
    ["\n\u0000", "%000A%0000"],
    ["é", "%00E9"],
    ["😀", "%D83D%DE00"],
    ["__proto__", "__proto__"],
  ])("writes %j as %s", (id, text) => {
    expect(idText(id)).toBe(text);
    expect(idText([id])).toBe(text);
  });

  it("joins the parts of a list by a colon, which no part can hold", () => {
    expect(idText(["team", "gpt-4"])).toBe("team:gpt-4");
    expect(idText(["a:b", "c"])).toBe("a%003Ab:c");
    expect(idText(["a", "b:c"])).toBe("a:b%003Ac");
  });

  it("keeps lone surrogates apart, from each other and from the replacement character", () => {
    const texts = ["\ud800", "\ud801", "\udc00", "\ufffd", "\ud83d\ude00", "\ude00\ud83d"];
    expect(new Set(texts.map((text) => idText(text))).size).toBe(texts.length);
  });

  it("stays readable up to 128 characters and becomes a digest beyond", () => {
    expect(idText("x".repeat(128))).toBe("x".repeat(128));
    const digest = (encoded: string) => `#${createHash("sha256").update(encoded).digest("hex")}`;
    expect(idText("x".repeat(129))).toBe(digest("x".repeat(129)));
    // What counts is the length of the encoding, and it is the encoding that is digested.
    expect(idText(":".repeat(26))).toBe(digest("%003A".repeat(26)));
    expect(idText(["x".repeat(64), "y".repeat(64)])).toBe(
      digest(`${"x".repeat(64)}:${"y".repeat(64)}`),
    );
  });

  it("tells ids of 10 kB apart by one character, wherever it stands", () => {
    const long = "x".repeat(10_240);
    const texts = [long, `${long}x`, `y${long.slice(1)}`, `${long.slice(1)}y`, long.slice(1)];
    const keys = texts.map((text) => idText(text));
    expect(new Set(keys).size).toBe(texts.length);
    for (const key of keys) expect(key).toHaveLength(65);
  });

  it("does not let a caller write what a digest looks like", () => {
    const digest = idText("x".repeat(10_240));
    expect(idText(digest)).not.toBe(digest);
    expect(idText([digest.slice(1)])).not.toBe(digest);
  });
});
