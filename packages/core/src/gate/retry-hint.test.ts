import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { enterMany, permitOf } from "../../test/gate/ask";
import { createGate } from "./create-gate";
import type { GateVerdict } from "./gate";
import type { GateOptions } from "./gate-options";

const hintOf = (verdict: GateVerdict) =>
  verdict.admitted ? undefined : verdict.rejection.retryAfterMs;

/** A full gate of 4 slots and a queue of 8, that has learnt of holds of `holdMs`. */
async function fullGate(holdMs: number, drawn: number, options: Partial<GateOptions> = {}) {
  const clock = new FakeClock();
  const random = { next: () => drawn, id: () => "unused" };
  const queue = { max: 8, timeoutMs: 1_000_000 };
  const given = { retryAfter: "drain-rate", maxInFlight: 4, queue, clock, random } as const;
  const gate = createGate({ ...given, ...options });
  const permit = await permitOf(gate.enter());
  clock.advance(holdMs);
  permit.end();
  void enterMany(gate, 12);
  return { clock, gate };
}

describe("the wait that refused clients are told", () => {
  it("is what a newcomer would wait at the end of the queue: 9 x 4 s / 4 slots", async () => {
    const { gate } = await fullGate(4000, 0);
    expect(hintOf(await gate.enter())).toBe(9000);
  });

  it.each([
    { drawn: 0, hint: 9000 },
    { drawn: 0.5, hint: 11_250 },
    { drawn: 0.999_999, hint: 13_500 },
  ])("is stretched by up to a half: drawn $drawn, told $hint", async ({ drawn, hint }) => {
    const { gate } = await fullGate(4000, drawn);
    expect(hintOf(await gate.enter())).toBe(hint);
  });

  it.each([
    { case: "at least the fixed hint", holdMs: 10, options: {}, hint: 1000 },
    { case: "at least a given one", holdMs: 10, options: { retryAfterMs: 50 }, hint: 50 },
    { case: "at most half a minute", holdMs: 60_000, options: {}, hint: 30_000 },
    {
      case: "at most what is given",
      holdMs: 60_000,
      options: { retryAfterMaxMs: 7000 },
      hint: 7000,
    },
    { case: "never below its least", holdMs: 1, options: { retryAfterMs: 40_000 }, hint: 40_000 },
  ])("is $case", async ({ holdMs, options, hint }) => {
    const { gate } = await fullGate(holdMs, 0, options);
    expect(hintOf(await gate.enter())).toBe(hint);
  });

  it("is fixed if nothing else is said, and for a gate that drains", async () => {
    const fixed = await fullGate(4000, 0, { retryAfter: "fixed" });
    expect(hintOf(await fixed.gate.enter())).toBe(1000);
    const { gate } = await fullGate(4000, 0);
    void gate.drain();
    expect(hintOf(await gate.enter())).toBe(1000);
  });

  it.each([{ retryAfter: "rate" }, { retryAfterMaxMs: 999 }, { retryAfterMaxMs: 0 }])(
    "is not made of %j",
    (options) => {
      const make = () => createGate({ maxInFlight: 1, ...options } as GateOptions);
      expect(make).toThrow(Object.keys(options)[0]);
    },
  );
});
