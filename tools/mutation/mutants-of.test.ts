import { describe, expect, it } from "vitest";
import { textWith } from "./mutant";
import { mutantsOf } from "./mutants-of";

/** The texts of all mutants of one line of code. */
function mutated(text: string): readonly string[] {
  return mutantsOf("example.ts", text).map((mutant) => textWith(text, mutant));
}

describe("mutantsOf", () => {
  it("swaps operators and moves numbers by one", () => {
    expect(mutated("const a = b < 2;")).toEqual([
      "const a = b <= 2;",
      "const a = b >= 2;",
      "const a = b < 3;",
      "const a = b < 1;",
    ]);
    expect(mutated("const a = b && c + d;")).toEqual([
      "const a = b || c + d;",
      "const a = b && c - d;",
    ]);
    expect(mutated("const a = b ?? c;")).toEqual(["const a = b;", "const a = c;"]);
    expect(mutated("const a = 0;")).toEqual(["const a = 1;", "const a = (-1);"]);
  });

  it("forces conditions both ways, and turns booleans and signs around", () => {
    expect(mutated("const a = b ? c : d;")).toEqual([
      "const a = true ? c : d;",
      "const a = false ? c : d;",
    ]);
    expect(mutated("const a = !b;")).toEqual(["const a = b;"]);
    expect(mutated("const a = -b;")).toEqual(["const a = b;"]);
    expect(mutated("const a = true;")).toEqual(["const a = false;"]);
  });

  it("exchanges Math.max with Math.min and Math.floor with Math.ceil", () => {
    expect(mutated("const a = Math.max(b, c);")).toEqual(["const a = Math.min(b, c);"]);
    expect(mutated("const a = Math.floor(b);")).toEqual(["const a = Math.ceil(b);"]);
  });

  it("leaves out what a statement does, early returns and throws, but not the last return", () => {
    expect(mutated("a = b;")).toEqual([";"]);
    expect(mutated("function f() { return a; }")).toEqual([]);
    expect(mutated("function f() { if (a) return b; return c; }")).toEqual([
      "function f() { if (true) return b; return c; }",
      "function f() { if (false) return b; return c; }",
      "function f() { if (a) ; return c; }",
    ]);
  });

  it("tells where a mistake is, counted from 1, and does not touch types", () => {
    const [first] = mutantsOf("example.ts", "type A = 1;\n  const b = 2;");
    expect(first).toMatchObject({ line: 2, column: 13, before: "2", after: "3" });
  });
});
