import { describe, expect, it } from "vitest";
import { standing } from "../../test/http/rejections";
import { fixedWindow } from "../limit/fixed-window";
import { secondsLeft, shownLimits, shownLimitsMax } from "./shown-limits";

const named = (name: string, mode: "enforce" | "shadow" = "enforce") =>
  fixedWindow({ name, max: 100, windowMs: 60_000, mode });

describe("the limits that headers show", () => {
  it("leave out a limit whose state is unknown", () => {
    const shown = shownLimits([standing(named("a"), { source: "policy" }), standing(named("b"))]);
    expect(shown.map(({ policyName }) => policyName)).toEqual(["b"]);
  });

  it("show a limit that was decided in this process", () => {
    expect(shownLimits([standing(named("a"), { source: "local" })])).toHaveLength(1);
  });

  it("leave out shadow limits, which are not in force", () => {
    const shown = shownLimits([standing(named("trial", "shadow")), standing(named("b"))]);
    expect(shown.map(({ policyName }) => policyName)).toEqual(["b"]);
  });

  it("are bounded: of too many the violated and the fullest stay, in order", () => {
    const statuses = Array.from({ length: 40 }, (_, i) =>
      standing(named(`limit-${i}`), i === 5 ? { admitted: false } : { used: i }),
    );
    const shown = shownLimits(statuses).map(({ policyName }) => policyName);
    const fullest = Array.from({ length: shownLimitsMax - 1 }, (_, i) => `limit-${i + 25}`);
    expect(shown).toEqual(["limit-5", ...fullest]);
  });
});

describe("seconds left", () => {
  it.each([
    [{ resetAfterMs: 0 }, 0],
    [{ resetAfterMs: 1 }, 1],
    [{ resetAfterMs: 59_001 }, 60],
    [{ resetAfterMs: 59_001, retryAfterMs: 1500, admitted: false }, 2],
    [{ resetAfterMs: -5 }, 0],
  ])("R051: of %o are %d", (facts, seconds) => {
    expect(secondsLeft(standing(named("a"), facts))).toBe(seconds);
  });
});
