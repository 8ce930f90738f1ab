import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { parseRenderOptions } from "./render-options";

function problemsOf(options: unknown): readonly { path: string; received: string }[] {
  try {
    parseRenderOptions(options as never);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
  return [];
}

describe("render options", () => {
  it.each([
    ["headers", "draft-8"],
    ["headers", []],
    ["headers", ["ietf", "ietf"]],
    ["headers", ["ai", "none"]],
    ["headers", ["toString"]],
    ["headers", 8],
    ["headers", null],
    ["body", "html"],
    ["body", {}],
    ["costExceedsLimitStatus", 400],
    ["costExceedsLimitStatus", "413"],
    ["gateStatus", 500],
    ["gateStatus", Number.NaN],
    ["slotsHeaderName", "Slots"],
    ["slotsHeaderName", ""],
    ["slotsHeaderName", "a b"],
    ["slotsHeaderName", "x".repeat(65)],
    ["statusCode", 420],
  ])("refuse %s: %j", (name, value) => {
    expect(problemsOf({ [name]: value }).map(({ path }) => path)).toEqual([name]);
  });

  it("list every problem at once", () => {
    const bad = { headers: "x", body: 1, gateStatus: 1, costExceedsLimitStatus: 1, mode: 1 };
    expect(problemsOf(bad)).toHaveLength(5);
  });

  it.each([[null], [5], ["ietf"], [[]]])("refuse %j in place of an object", (options) => {
    expect(problemsOf(options)).toHaveLength(1);
  });

  it("E-13: are not changed, and later changes to them have no effect", () => {
    const headers: ("ietf" | "ai")[] = ["ietf"];
    const options = Object.freeze({ headers });
    const config = parseRenderOptions(options);
    headers.push("ai");
    expect(config.headers).toEqual(["ietf"]);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("are read once: a config is taken as it is", () => {
    const config = parseRenderOptions({ headers: "ai" });
    expect(parseRenderOptions(config)).toBe(config);
  });
});
