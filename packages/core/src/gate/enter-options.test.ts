import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { createGate } from "./create-gate";
import type { EnterOptions } from "./gate";

function enter(options: unknown) {
  const gate = createGate({ maxInFlight: 1, clock: new FakeClock() });
  return { gate, verdict: gate.enter(options as EnterOptions) };
}

describe("enter options", () => {
  it.each([
    { deadlineMs: Number.NaN },
    { deadlineMs: "100" },
    { deadlineMs: null },
    { deadline: 100 },
    { signal: null },
    { signal: {} },
    { signal: { aborted: false } },
    { signal: { addEventListener: () => {} } },
    { signal: "abort" },
    null,
    5,
    [],
  ])("R065 are an error when bad, never a request without deadline: %j", async (options) => {
    const { gate, verdict } = enter(options);
    await expect(verdict).rejects.toBeInstanceOf(InvalidOptionsError);
    expect(gate.stats()).toMatchObject({ inFlight: 0, admitted: 0, rejected: 0 });
  });

  it("are an error that lists every problem", async () => {
    const { verdict } = enter({ deadlineMs: Number.NaN, signal: 1, priority: "high" });
    await expect(verdict).rejects.toThrow(/priority: expected no such option/);
    await expect(verdict).rejects.toThrow(/deadlineMs: expected a number.*received NaN/);
    await expect(verdict).rejects.toThrow(/signal: expected an AbortSignal/);
  });

  it.each([
    undefined,
    {},
    { deadlineMs: undefined, signal: undefined },
    { deadlineMs: 0.5 },
    { deadlineMs: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
  ])("are fine as %j", async (options) => {
    expect((await enter(options).verdict).admitted).toBe(true);
  });
});
