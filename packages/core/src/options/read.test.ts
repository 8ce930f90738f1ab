import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { Problems } from "./problems";
import { OptionsReader } from "./read";

/** Reads `source` by `read` and returns what was read and what was wrong. */
function reading<T>(
  source: unknown,
  read: (reader: OptionsReader) => T,
  known: readonly string[] = ["x"],
  prefix?: string,
): { readonly value: T; readonly paths: readonly string[]; readonly message: string } {
  const problems = new Problems("test options");
  const value = read(new OptionsReader(source, known, problems, prefix));
  const paths = problemPathsOf(() => problems.throwIfAny());
  let message = "";
  try {
    problems.throwIfAny();
  } catch (error) {
    message = (error as Error).message;
  }
  return { value, paths, message };
}

const required = (reader: OptionsReader) => reader.integer("x", { min: 1, max: 10 });
const optional = (reader: OptionsReader) => reader.integer("x", { min: 1, fallback: 7 });

describe("OptionsReader", () => {
  it.each([undefined, null, 5, "x", true, [], [{ x: 1 }], () => {}, Symbol("x"), 1n])(
    "refuses %s for an options object and goes on with nothing",
    (source) => {
      expect(reading(source, optional)).toMatchObject({ value: 7, paths: ["options"] });
    },
  );

  it("names a nested options object by its path", () => {
    expect(reading("x", optional, ["x"], "queue").paths).toEqual(["queue"]);
    expect(reading({ x: 0 }, optional, ["x"], "queue").paths).toEqual(["queue.x"]);
    expect(reading({ y: 0 }, optional, ["x"], "queue").paths).toEqual(["queue.y"]);
  });

  it("refuses names that it does not know, and lists those it does", () => {
    const { paths, message } = reading({ x: 1, max: 5, "": 1 }, required, ["x", "y"]);
    expect(paths).toEqual(["max", ""]);
    expect(message).toContain("max: expected no such option (known: x, y), received 5 (number)");
  });

  it.each(["__proto__", "constructor", "toString"])("refuses %s as an own name", (name) => {
    const source = JSON.parse(`{ "x": 1, "${name}": 5 }`);
    expect(reading(source, required).paths).toEqual([name]);
  });

  it("does not count what is inherited", () => {
    const source = Object.create({ x: 5 });
    expect(reading(source, required).paths).toEqual(["x"]);
    expect(reading(source, (reader) => reader.isGiven("x")).value).toBe(false);
    expect(reading({}, (reader) => reader.raw("toString"), ["toString"]).value).toBe(undefined);
  });

  it("takes objects without a prototype", () => {
    const source = Object.assign(Object.create(null), { x: 5 });
    expect(reading(source, required)).toMatchObject({ value: 5, paths: [] });
  });

  it("takes undefined for absent", () => {
    expect(reading({ x: undefined }, optional)).toMatchObject({ value: 7, paths: [] });
    expect(reading({ x: undefined }, required).paths).toEqual(["x"]);
  });
});

describe("OptionsReader.integer", () => {
  it.each([1, 5, 10])("takes %d of 1 to 10", (x) => {
    expect(reading({ x }, required)).toMatchObject({ value: x, paths: [] });
  });

  it.each([0, 11, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5", " 5", null, true, [5], 5n])(
    "refuses %s of 1 to 10",
    (x) => {
      const { paths, message } = reading({ x }, required);
      expect(paths).toEqual(["x"]);
      expect(message).toContain("x: expected an integer from 1 to 10, received");
    },
  );

  it("goes on with its fallback after a problem, else with the least value", () => {
    expect(reading({ x: Number.NaN }, optional).value).toBe(7);
    expect(reading({ x: Number.NaN }, required).value).toBe(1);
  });

  it("refuses integers that are not exact", () => {
    expect(reading({ x: 2 ** 53 }, optional)).toMatchObject({ value: 7, paths: ["x"] });
    expect(reading({ x: 2 ** 53 - 1 }, optional)).toMatchObject({ value: 2 ** 53 - 1, paths: [] });
    expect(reading({ x: 0 }, optional).message).toContain("expected an integer of 1 or more");
  });
});

describe("OptionsReader.number", () => {
  const ratio = (reader: OptionsReader) => reader.number("x", { min: 0, max: 1, fallback: 0.5 });

  it.each([0, 0.25, 1])("takes %d of 0 to 1", (x) => {
    expect(reading({ x }, ratio)).toMatchObject({ value: x, paths: [] });
  });

  it.each([-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY, "0.5", null])("refuses %s", (x) => {
    expect(reading({ x }, ratio)).toMatchObject({ value: 0.5, paths: ["x"] });
  });

  it("takes its fallback when absent", () => {
    expect(reading({}, ratio)).toMatchObject({ value: 0.5, paths: [] });
  });
});

describe("OptionsReader: minus zero", () => {
  it("is zero", () => {
    const read = (reader: OptionsReader) => reader.integer("x", { min: 0 });
    expect(Object.is(reading({ x: -0 }, read).value, 0)).toBe(true);
  });
});

describe("OptionsReader: other readers", () => {
  it("reads one of several words", () => {
    const read = (reader: OptionsReader) => reader.oneOf("x", ["on", "off"], "on");
    expect(reading({ x: "off" }, read)).toMatchObject({ value: "off", paths: [] });
    expect(reading({}, read)).toMatchObject({ value: "on", paths: [] });
    expect(reading({ x: "OFF" }, read).message).toContain('expected one of "on", "off"');
    expect(reading({ x: null }, read).paths).toEqual(["x"]);
  });

  it("reads a text of a pattern", () => {
    const read = (reader: OptionsReader) => reader.text("x", /^[a-z]+$/, "letters", "none");
    expect(reading({ x: "abc" }, read)).toMatchObject({ value: "abc", paths: [] });
    expect(reading({}, read)).toMatchObject({ value: "none", paths: [] });
    expect(reading({ x: "A" }, read).message).toContain('x: expected letters, received "A"');
    expect(reading({ x: ["abc"] }, read).paths).toEqual(["x"]);
  });

  it("reads a function", () => {
    const fn = () => {};
    const read = (reader: OptionsReader) => reader.optionalFunction("x");
    expect(reading({ x: fn }, read)).toMatchObject({ value: fn, paths: [] });
    expect(reading({}, read)).toMatchObject({ value: undefined, paths: [] });
    expect(reading({ x: null }, read)).toMatchObject({ value: undefined, paths: ["x"] });
  });

  it("reads an object with methods, inherited ones too", () => {
    class Port {
      open(): void {}
      close(): void {}
    }
    const port = new Port();
    const read = (reader: OptionsReader) => reader.optionalPort("x", ["open", "close"]);
    expect(reading({ x: port }, read)).toMatchObject({ value: port, paths: [] });
    expect(reading({}, read)).toMatchObject({ value: undefined, paths: [] });
    for (const x of [null, {}, { open: () => {} }, () => {}, "port"]) {
      const { value, paths, message } = reading({ x }, read);
      expect([value, paths]).toEqual([undefined, ["x"]]);
      expect(message).toContain("x: expected an object with the methods open, close");
    }
  });
});
