import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { createGate } from "./create-gate";
import type { GateOptions } from "./gate-options";

function problemsOf(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

const gateWith = (classes: unknown, rest: object = {}) =>
  createGate({ maxInFlight: 10, classes, ...rest } as GateOptions);

describe("the classes of a gate", () => {
  it("have defaults for all that is not said", () => {
    const gate = gateWith({ a: {}, b: { weight: 0.25, reserved: 3, rank: 2 } });
    expect(gate.settings.classes).toEqual({
      a: { weight: 1, reserved: 0, rank: 0 },
      b: { weight: 0.25, reserved: 3, rank: 2 },
    });
  });

  it.each([
    { classes: {} },
    { classes: null },
    { classes: [] },
    { classes: "a" },
    { classes: { "7": {} } },
    { classes: { "a b": {} } },
    { classes: { __proto_: {} } },
    { classes: { ["x".repeat(65)]: {} } },
    { classes: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`c${index}`, {}])) },
  ])("are 1 to 64 with names that are names, not $classes", ({ classes }) => {
    expect(problemsOf(() => gateWith(classes))).toEqual(["classes"]);
  });

  it.each([
    { given: { weight: 0 }, path: "classes.a.weight" },
    { given: { weight: -1 }, path: "classes.a.weight" },
    { given: { weight: Number.NaN }, path: "classes.a.weight" },
    { given: { weight: 10_001 }, path: "classes.a.weight" },
    { given: { weight: "1" }, path: "classes.a.weight" },
    { given: { reserved: -1 }, path: "classes.a.reserved" },
    { given: { reserved: 1.5 }, path: "classes.a.reserved" },
    { given: { reserved: 11 }, path: "classes" },
    { given: { rank: 1.5 }, path: "classes.a.rank" },
    { given: { rank: -1 }, path: "classes.a.rank" },
    { given: { priority: 1 }, path: "classes.a.priority" },
    { given: null, path: "classes.a" },
    { given: 5, path: "classes.a" },
  ])("refuse $given, naming $path", ({ given, path }) => {
    expect(problemsOf(() => gateWith({ a: given, b: {} }))).toEqual([path]);
    expect(
      problemsOf(() => gateWith({ a: {}, b: {} }).update({ classes: { a: given } as never })),
    ).toEqual([path]);
  });

  it("may all be reserved as long as each can start", () => {
    expect(problemsOf(() => gateWith({ a: { reserved: 5 }, b: { reserved: 5 } }))).toEqual([]);
    expect(problemsOf(() => gateWith({ a: { reserved: 5 }, b: { reserved: 6 } }))).toEqual([
      "classes",
    ]);
    expect(problemsOf(() => gateWith({ a: { reserved: 10 }, b: {} }))).toEqual(["classes"]);
    expect(problemsOf(() => gateWith({ a: { reserved: 10 } }))).toEqual([]);
  });

  it("have a default class that is one of them", () => {
    expect(problemsOf(() => gateWith({ a: {} }, { defaultClass: "b" }))).toEqual(["defaultClass"]);
    expect(problemsOf(() => createGate({ maxInFlight: 1, defaultClass: "a" }))).toEqual([
      "defaultClass",
    ]);
  });

  it("are changed in what is said of those that are named, in one step with all else", () => {
    const gate = gateWith({ a: { weight: 2, rank: 1 }, b: { reserved: 1 } });
    gate.update({ classes: { a: { rank: 5 } } });
    expect(gate.settings.classes).toEqual({
      a: { weight: 2, reserved: 0, rank: 5 },
      b: { weight: 1, reserved: 1, rank: 0 },
    });
    const bad = { classes: { a: { rank: 9 }, c: {} }, mode: "off" } as const;
    expect(problemsOf(() => gate.update(bad))).toEqual(["classes.c"]);
    expect(problemsOf(() => gate.update({ classes: 5 as never }))).toEqual(["classes"]);
    expect(gate.settings).toMatchObject({ mode: "enforce", classes: { a: { rank: 5 } } });
  });

  it("cannot be added to a gate that has none", () => {
    const gate = createGate({ maxInFlight: 1 });
    expect(problemsOf(() => gate.update({ classes: { a: {} } }))).toEqual(["classes.a"]);
  });

  it("turn by rank until one has a weight, then by weight", async () => {
    const startsOf = async (weigh: boolean) => {
      const gate = createGate({
        maxInFlight: 1,
        queue: { max: 8 },
        classes: { low: {}, high: { rank: 1 } },
      });
      if (weigh) gate.update({ classes: { low: { weight: 1 } } });
      const started: string[] = [];
      const enter = (name: "low" | "high") =>
        gate.enter({ class: name }).then((verdict) => {
          started.push(name);
          if (verdict.admitted) verdict.permit.end();
        });
      const first = await gate.enter();
      const all = [enter("low"), enter("low"), enter("high"), enter("high")];
      if (first.admitted) first.permit.end();
      await Promise.all(all);
      return started.join(" ");
    };
    expect(await startsOf(false)).toBe("high high low low");
    expect(await startsOf(true)).toBe("high low high low");
  });
});
