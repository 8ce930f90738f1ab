import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { parseRedisStoreOptions, type RedisStoreOptions } from "./redis-store-options";

const connect = () => new Promise<never>(() => {});

const problemsOf = (options: unknown) => {
  try {
    parseRedisStoreOptions(options as RedisStoreOptions);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
  return [];
};

describe("The options of a Redis store", () => {
  it("have defaults for all but connect", () => {
    expect(parseRedisStoreOptions({ connect })).toMatchObject({
      connect,
      prefix: "sluice",
      timeoutMs: 100,
      instances: 1,
      hashTag: undefined,
      maxInFlight: 2000,
      closesClient: true,
      recorder: undefined,
    });
  });

  it("are taken as they are given, at both ends of their ranges", () => {
    const ports = { clock: new FakeClock(), random: seededRandom(1), recorder: { record() {} } };
    const hashTag = () => "tag";
    for (const options of [
      { prefix: "", timeoutMs: 1, instances: 1, maxInFlight: 1, closesClient: false },
      {
        prefix: `AZaz09_.:@-${"x".repeat(53)}`,
        timeoutMs: 60_000,
        instances: 1_000,
        maxInFlight: 1_000_000,
        closesClient: true,
      },
    ]) {
      const given = { connect, hashTag, ...ports, ...options };
      expect(parseRedisStoreOptions(given)).toEqual(given);
    }
  });

  it.each(["{a}", "a b", "é", "a~b", "a%b", "a\n", "x".repeat(65), 5, null, {}])(
    "refuse the prefix %j, and nothing else with it",
    (prefix) => {
      expect(problemsOf({ connect, prefix })).toMatchObject([
        { path: "prefix", expected: "0 to 64 characters of A-Z, a-z, 0-9, _, ., :, @ and -" },
      ]);
    },
  );

  it("say of all that is wrong what was expected and what came, in one error", () => {
    const wrong = {
      connect: "redis://localhost",
      prefix: "{a}",
      timeoutMs: 0,
      instances: 1.5,
      hashTag: "tag",
      maxInFlight: Number.POSITIVE_INFINITY,
      closesClient: "no",
      clock: Date,
      url: "redis://localhost",
    };
    const expected = {
      url: expect.stringContaining("no such option"),
      connect: "a function that returns a client",
      prefix: expect.stringContaining("0 to 64 characters"),
      timeoutMs: "an integer from 1 to 60000",
      instances: "an integer from 1 to 1000",
      hashTag: "a function",
      maxInFlight: "an integer from 1 to 1000000",
      closesClient: "true or false",
      clock: "an object with the methods nowMs, after",
    };
    const problems = problemsOf(wrong);
    expect(Object.fromEntries(problems.map((each) => [each.path, each.expected]))).toEqual(
      expected,
    );
    const received = Object.fromEntries(problems.map((each) => [each.path, each.received]));
    expect(received).toMatchObject({
      connect: '"redis://localhost" (string)',
      timeoutMs: "0 (number)",
      closesClient: '"no" (string)',
    });
  });

  it("cannot be changed afterwards", () => {
    expect(Object.isFrozen(parseRedisStoreOptions({ connect }))).toBe(true);
  });
});
