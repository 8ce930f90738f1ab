import { fixedWindow, InvalidOptionsError, type Policy } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { type RequestTest, unless, unlimited } from "./unless";

const request = { headers: {}, socket: {} };
const limits = [fixedWindow({ max: 1, windowMs: 60_000 })];
const limited: Policy<unknown> = () => ({ descriptors: [{ kind: "a", id: "x", limits }] });
const question = limited(request);

describe("unless", () => {
  it.each([
    ["a function", () => true, null],
    ["a promise", async () => true, null],
    ["a function", () => false, question],
    ["a promise", async () => false, question],
  ])("E-20: skips what %s says", async (_how, test, asked) => {
    expect(await unless(test, limited)(request)).toEqual(asked);
  });

  it("asks tests in turn, until one holds", async () => {
    const asked: string[] = [];
    const test = (name: string, answer: boolean) => async () => {
      asked.push(name);
      return answer;
    };
    const tests = [test("a", false), test("b", true), test("c", true)];
    expect(await unless(tests, limited)(request)).toBeNull();
    expect(asked).toEqual(["a", "b"]);
    expect(await unless([test("d", false)], limited)(request)).toEqual(question);
  });

  it.each([undefined, null, 0, 1, "", "true", {}, { statusCode: 200 }, [], () => true])(
    "R090: refuses a test that answers %s",
    async (answer) => {
      const asked = async (test: RequestTest<unknown>) => unless(test, limited)(request);
      await expect(asked(() => answer as unknown as boolean)).rejects.toThrow(InvalidOptionsError);
      await expect(asked(async () => answer as unknown as boolean)).rejects.toThrow(
        /answer of a test of unless: expected true or false/,
      );
    },
  );

  it("R090: takes a promise of false for false", async () => {
    expect(await unless(() => Promise.resolve(false), limited)(request)).toEqual(question);
  });

  it("R090: passes on what a test throws, and asks no policy", async () => {
    const policy = () => {
      throw new Error("asked");
    };
    const failing = () => {
      throw new Error("no list");
    };
    await expect(async () => unless<unknown>(failing, policy)(request)).rejects.toThrow("no list");
    const rejecting = () => Promise.reject(new Error("no list"));
    await expect(async () => unless<unknown>(rejecting, policy)(request)).rejects.toThrow(
      "no list",
    );
  });

  it.each([
    [[], limited],
    [[true], limited],
    [true, limited],
    [() => true, undefined],
  ])("refuses the arguments %s and %s", (test, policy) => {
    const making = () => unless(test as RequestTest<unknown>, policy as Policy<unknown>);
    expect(making).toThrow(InvalidOptionsError);
  });
});

describe("unlimited", () => {
  it("has no limits", () => {
    expect(unlimited({})).toBeNull();
  });
});
