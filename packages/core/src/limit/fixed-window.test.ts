import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { type FixedWindowOptions, fixedWindow } from "./fixed-window";
import { DURATION_MAX_MS } from "./limit-options";

describe("fixedWindow", () => {
  it("counts requests, from the first one on, and refuses, unless told otherwise", () => {
    expect(fixedWindow({ max: 100, windowMs: 60_000 })).toEqual({
      kind: "fixed-window",
      name: "fixed-window-requests-60s",
      unit: "requests",
      max: 100,
      windowMs: 60_000,
      anchor: "first-request",
      mode: "enforce",
    });
  });

  it("keeps what it is told", () => {
    const options: FixedWindowOptions = {
      unit: "tokens",
      max: 0,
      windowMs: 1_500,
      anchor: "epoch",
      name: "TPM_1.5-s",
      mode: "shadow",
    };
    expect(fixedWindow(options)).toEqual({ kind: "fixed-window", ...options });
  });

  it.each([
    { windowMs: 1_000, name: "fixed-window-tokens-1s" },
    { windowMs: 1_500, name: "fixed-window-tokens-1500ms" },
    { windowMs: 1, name: "fixed-window-tokens-1ms" },
    { windowMs: 86_400_000, name: "fixed-window-tokens-86400s" },
  ])("is named after its unit and a window of $windowMs ms", ({ windowMs, name }) => {
    expect(fixedWindow({ unit: "tokens", max: 1, windowMs }).name).toBe(name);
  });

  it.each([1, DURATION_MAX_MS])("takes a window of %d ms", (windowMs) => {
    expect(fixedWindow({ max: Number.MAX_SAFE_INTEGER, windowMs }).windowMs).toBe(windowMs);
  });

  it.each([0, -1, 0.5, DURATION_MAX_MS + 1])("refuses a window of %d ms", (windowMs) => {
    expect(problemPathsOf(() => fixedWindow({ max: 1, windowMs }))).toEqual(["windowMs"]);
  });

  it("refuses an anchor that it does not know", () => {
    const options = { max: 1, windowMs: 1, anchor: "midnight" } as unknown as FixedWindowOptions;
    expect(() => fixedWindow(options)).toThrow(
      'Invalid fixedWindow options: anchor: expected one of "first-request", "epoch", ' +
        'received "midnight" (string)',
    );
  });

  it("lists everything that is wrong", () => {
    const options = { limit: 5, anchor: 1, mode: "off", name: "a b", unit: "Tokens" };
    expect(problemPathsOf(() => fixedWindow(options as unknown as FixedWindowOptions))).toEqual([
      "limit",
      "unit",
      "windowMs",
      "name",
      "max",
      "anchor",
      "mode",
    ]);
  });
});
