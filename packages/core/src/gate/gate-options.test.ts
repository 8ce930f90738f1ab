import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { aimd } from "../adaptive/aimd";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { createGate } from "./create-gate";
import type { GateOptions } from "./gate-options";

const gateWith = (options: Record<string, unknown>) =>
  createGate({ clock: new FakeClock(), ...options } as unknown as GateOptions);

function pathsOfProblems(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe("createGate options", () => {
  it.each([
    { given: { maxInFlight: 3 }, max: 3, timeoutMs: 1000 },
    { given: { maxInFlight: 3, queue: { max: 0 } }, max: 0, timeoutMs: 1000 },
    { given: { maxInFlight: 3, queue: { timeoutMs: 70 } }, max: 3, timeoutMs: 70 },
    { given: { maxInFlight: 3, queue: { max: 5, timeoutMs: 250 } }, max: 5, timeoutMs: 250 },
  ])("A10 takes $given, with defaults for the rest", ({ given, max, timeoutMs }) => {
    expect(gateWith(given).settings).toEqual({
      maxInFlight: 3,
      queue: { max, timeoutMs },
      mode: "enforce",
      enforceRatio: 1,
    });
  });

  // The reference system switches its gate off for these.
  it.each([
    { case: "no cap", options: {}, path: "maxInFlight" },
    { case: "a cap of null", options: { maxInFlight: null }, path: "maxInFlight" },
    { case: "a cap of 0", options: { maxInFlight: 0 }, path: "maxInFlight" },
    { case: "a text as cap", options: { maxInFlight: "many" }, path: "maxInFlight" },
    { case: "queue -1", options: { maxInFlight: 3, queue: { max: -1 } }, path: "queue.max" },
    {
      case: "time-out 0",
      options: { maxInFlight: 3, queue: { timeoutMs: 0 } },
      path: "queue.timeoutMs",
    },
    {
      case: "time-out -0.5",
      options: { maxInFlight: 3, queue: { timeoutMs: -0.5 } },
      path: "queue.timeoutMs",
    },
    {
      case: "a time-out of null",
      options: { maxInFlight: 3, queue: { timeoutMs: null } },
      path: "queue.timeoutMs",
    },
    { case: "a queue of null", options: { maxInFlight: 3, queue: null }, path: "queue" },
  ])("A10 refuses $case instead of switching the gate off", ({ options, path }) => {
    expect(pathsOfProblems(() => gateWith(options))).toEqual([path]);
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "100",
    " 10",
    "ten",
    -1,
    1.5,
    null,
    true,
    [3],
    {},
  ])("R065 refuses %j for every number, naming each", (bad) => {
    const all = { maxInFlight: bad, queue: { max: bad, timeoutMs: bad }, retryAfterMs: bad };
    const paths = pathsOfProblems(() => gateWith({ ...all, enforceRatio: bad === 1.5 ? 2 : bad }));
    expect(paths.sort()).toEqual(
      ["enforceRatio", "maxInFlight", "queue.max", "queue.timeoutMs", "retryAfterMs"].sort(),
    );
  });

  it("takes hints from 1 ms on: 0 would ask the refused to come back at once", () => {
    expect(pathsOfProblems(() => gateWith({ maxInFlight: 1, retryAfterMs: 1 }))).toEqual([]);
    expect(pathsOfProblems(() => gateWith({ maxInFlight: 1, retryAfterMs: 0 }))).toEqual([
      "retryAfterMs",
    ]);
  });

  it("says what an algorithm needs to be a cap", () => {
    const make = () => createGate({ maxInFlight: aimd() as never });
    expect(make).toThrow("an integer of 1 or more, or adaptiveLimit({ algorithm }) around it");
  });

  it("R061 refuses a time-out of Infinity: every wait has a bound", () => {
    const options = { maxInFlight: 1, queue: { timeoutMs: Number.POSITIVE_INFINITY } };
    expect(pathsOfProblems(() => gateWith(options))).toEqual(["queue.timeoutMs"]);
  });

  it("refuses unknown names, at both levels, together with everything else that is wrong", () => {
    const options = {
      maxInflight: 3,
      queue: { size: 3, max: 2.5 },
      mode: "on",
      name: "a b",
      onReject: "degrade",
      clock: {},
      random: { next: () => 0 },
      recorder: () => {},
    };
    expect(pathsOfProblems(() => createGate(options as unknown as GateOptions))).toEqual([
      "maxInflight",
      "maxInFlight",
      "queue.size",
      "queue.max",
      "mode",
      "onReject",
      "clock",
      "random",
      "recorder",
      "name",
    ]);
  });

  it.each([undefined, null, 5, "gate", []])("refuses %j in place of options", (options) => {
    expect(() => createGate(options as unknown as GateOptions)).toThrow(InvalidOptionsError);
  });

  it("needs nothing but a cap", async () => {
    const gate = createGate({ maxInFlight: 1 });
    const verdict = await gate.enter();
    expect(verdict.admitted && verdict.permit.waitedMs).toBe(0);
  });
});
