import { InvalidOptionsError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { createAdmissionLog } from "./admission-log";
import { sizeBucketOf } from "./size-bucket";

const right = { sink: () => {}, controllerVersion: "1.2.3" };

describe("createAdmissionLog", () => {
  it.each([
    [{}, ["sink", "controllerVersion"]],
    [{ ...right, sink: "stdout" }, ["sink"]],
    [{ ...right, controllerVersion: "a b" }, ["controllerVersion"]],
    [{ ...right, controllerVersion: "v".repeat(65) }, ["controllerVersion"]],
    [{ ...right, describe: {} }, ["describe"]],
    [{ ...right, allow: { route: "chat" } }, ["allow.route"]],
    [{ ...right, allow: { route: [""] } }, ["allow.route"]],
    [{ ...right, allow: { route: ["x".repeat(129)] } }, ["allow.route"]],
    [{ ...right, allow: { kind: new Array(1001).fill("x") } }, ["allow.kind"]],
    [{ ...right, allow: { routes: ["chat"] } }, ["allow.routes"]],
    [{ ...right, adaptiveLimit: 5 }, ["adaptiveLimit"]],
    [{ ...right, sinks: [] }, ["sinks"]],
  ])("refuses %j", (options, paths) => {
    let thrown: unknown;
    try {
      createAdmissionLog(options as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidOptionsError);
    expect((thrown as InvalidOptionsError).problems.map(({ path }) => path)).toEqual(paths);
  });
});

describe("The bucket of a size", () => {
  it.each([
    [0, "0"],
    [1, "<1k"],
    [999, "<1k"],
    [1000, "<10k"],
    [99_999, "<100k"],
    [1_000_000, "<10M"],
    [99_999_999, "<100M"],
    [1e8, ">=100M"],
    [Number.POSITIVE_INFINITY, ">=100M"],
    [-1, undefined],
    [Number.NaN, undefined],
    ["5", undefined],
  ])("of %s is %s", (amount, bucket) => {
    expect(sizeBucketOf(amount)).toBe(bucket);
  });
});
