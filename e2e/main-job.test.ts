import { describe, expect, it } from "vitest";
import { runMainJob } from "./run-main-job";

describe("the main job", () => {
  it("shows every row as expected, through all adapters, and ends with exit code 0", {
    timeout: 300_000,
  }, async () => {
    const { code, output } = await runMainJob("", []);
    expect(output).toMatch(/^ +what +node +express +koa +fastify +expected/m);
    for (const letter of ["a", "b", "c", "d", "e", "f", "j", "k"]) {
      expect(output).toMatch(new RegExp(`^.*\\b${letter} ok\\b`, "m"));
    }
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
  });
});
