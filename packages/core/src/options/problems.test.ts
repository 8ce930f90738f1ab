import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { describe as describeValue, Problems } from "./problems";

describe("Problems", () => {
  it("throws nothing while nothing is wrong", () => {
    const problems = new Problems("test options");
    expect(problems.count).toBe(0);
    expect(() => problems.throwIfAny()).not.toThrow();
  });

  it("throws one error that lists everything, in order", () => {
    const problems = new Problems("test options");
    problems.add("max", "an integer of 0 or more", Number.NaN);
    problems.add("limits[0].name", "a name", undefined);
    expect(problems.count).toBe(2);
    expect(() => problems.throwIfAny()).toThrow(InvalidOptionsError);
    expect(() => problems.throwIfAny()).toThrow(
      "Invalid test options: max: expected an integer of 0 or more, received NaN (number); " +
        "limits[0].name: expected a name, received undefined",
    );
  });
});

describe("A value in a message", () => {
  it.each([
    { value: undefined, text: "undefined" },
    { value: null, text: "null" },
    { value: Number.NaN, text: "NaN (number)" },
    { value: -0.5, text: "-0.5 (number)" },
    { value: "10", text: '"10" (string)' },
    { value: "", text: '"" (string)' },
    { value: 'say "hi"\n', text: '"say \\"hi\\"\\n" (string)' },
    { value: true, text: "true (boolean)" },
    { value: 10n, text: "10 (bigint)" },
    { value: Symbol("secret"), text: "a symbol" },
    { value: () => "secret", text: "a function" },
    { value: [1, 2, 3], text: "an array of 3" },
    { value: { password: "secret" }, text: "an object" },
    { value: Object.create(null), text: "an object" },
  ])("is $text", ({ value, text }) => {
    expect(describeValue(value)).toBe(text);
  });

  it("is bounded, whatever was sent", () => {
    const text = describeValue("x".repeat(1_000_000));
    expect(text).toBe(`"${"x".repeat(60)}…" (string)`);
  });
});
