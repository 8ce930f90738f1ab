import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { concurrency } from "./concurrency";
import { fixedWindow } from "./fixed-window";
import type { Limit, LimitMode } from "./limit";
import { DURATION_MAX_MS, isLimit, LIMIT_NAME } from "./limit-options";
import { slidingLog } from "./sliding-log";
import { slidingWindow } from "./sliding-window";
import { tokenBucket } from "./token-bucket";

interface Common {
  readonly unit?: string;
  readonly name?: string;
  readonly mode?: LimitMode;
}

const counting: Readonly<Record<string, (common: Common) => Limit>> = {
  fixedWindow: (common) => fixedWindow({ max: 1, windowMs: 1_000, ...common }),
  slidingWindow: (common) => slidingWindow({ max: 1, windowMs: 1_000, ...common }),
  slidingLog: (common) => slidingLog({ max: 1, windowMs: 1_000, ...common }),
  tokenBucket: (common) => tokenBucket({ capacity: 1, refill: 1, perMs: 1_000, ...common }),
};
const all: Readonly<Record<string, (common: Common) => Limit>> = {
  ...counting,
  concurrency: ({ name, mode }) =>
    concurrency({
      max: 1,
      ...(name === undefined ? {} : { name }),
      ...(mode === undefined ? {} : { mode }),
    }),
};

describe.each(Object.entries(all))("%s", (constructorName, make) => {
  it("makes plain frozen data", () => {
    const limit = make({});
    expect(Object.isFrozen(limit)).toBe(true);
    expect(Object.getPrototypeOf(limit)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(limit))).toEqual(limit);
  });

  it("makes what counts as a limit; copies of it do not", () => {
    const limit = make({});
    expect(isLimit(limit)).toBe(true);
    expect(isLimit({ ...limit })).toBe(false);
    expect(isLimit(structuredClone(limit))).toBe(false);
    expect(isLimit(JSON.parse(JSON.stringify(limit)))).toBe(false);
    expect(isLimit(Object.create(limit))).toBe(false);
  });

  it.each(["a", "per.minute", "TPM_1-x", "__proto__", "constructor", "n".repeat(64)])(
    "takes the name %j",
    (name) => {
      expect(make({ name }).name).toBe(name);
    },
  );

  it.each(["", " ", "a b", 'a"b', "a:b", "a{b}", "é", "a\n", "n".repeat(65), 5, null])(
    "refuses the name %j",
    (name) => {
      expect(problemPathsOf(() => make({ name: name as string }))).toEqual(["name"]);
    },
  );

  it.each(["Enforce", "off", "", null, true])("refuses the mode %j", (mode) => {
    expect(problemPathsOf(() => make({ mode: mode as LimitMode }))).toEqual(["mode"]);
  });

  it("does not change the options that it is given", () => {
    const common = Object.freeze({ name: "n", mode: "shadow" as const });
    expect(make(common)).toMatchObject({ name: "n", mode: "shadow" });
    expect(common).toEqual({ name: "n", mode: "shadow" });
  });

  it("says in its message for whom the options were", () => {
    expect(() => make({ name: "" })).toThrow(`Invalid ${constructorName} options: name: expected`);
  });
});

describe.each(Object.entries(counting))("%s, which counts a unit,", (_, make) => {
  it.each(["requests", "tokens", "a", "gpu_seconds-2", "constructor", "u".repeat(32)])(
    "takes the unit %j and is named after it",
    (unit) => {
      const limit = make({ unit });
      expect(limit.unit).toBe(unit);
      expect(limit.name).toContain(`-${unit}-1s`);
    },
  );

  it.each(["", "Tokens", "1st", "_x", "a b", "a:b", "u".repeat(33), 5, null])(
    "refuses the unit %j",
    (unit) => {
      expect(problemPathsOf(() => make({ unit: unit as string }))).toEqual(["unit"]);
    },
  );

  it("leaves slots to concurrency", () => {
    expect(() => make({ unit: "slots" })).toThrow("a unit other than slots (see concurrency)");
  });
});

it("makes default names that are names, however long unit and window are", () => {
  const unit = "u".repeat(32);
  const odd = DURATION_MAX_MS - 1;
  for (const limit of [
    fixedWindow({ unit, max: 1, windowMs: odd }),
    slidingWindow({ unit, max: 1, windowMs: odd, buckets: 1 }),
    slidingLog({ unit, max: 1, windowMs: odd }),
    tokenBucket({ unit, capacity: 1, refill: 1, perMs: odd }),
  ]) {
    expect(limit.name).toMatch(LIMIT_NAME);
  }
});

it.each([undefined, null, 5, "limit", {}, [], () => {}, Symbol("limit")])(
  "takes %s for no limit",
  (value) => {
    expect(isLimit(value)).toBe(false);
  },
);
