import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { Limit } from "../limit/limit";
import { Units } from "./full-cost";
import type { Question } from "./question";
import { QuestionReader } from "./read-question";

const reader = new QuestionReader(new Units(["requests", "tokens"]));
const requests = fixedWindow({ name: "rpm", max: 1, windowMs: 1_000 });
const tokens = fixedWindow({ name: "tpm", unit: "tokens", max: 1, windowMs: 1_000 });
const slots = concurrency({ name: "slots", max: 1 });
const descriptor = { kind: "key", id: "k", limits: [requests] };

function problemsOf(question: unknown): string[] {
  try {
    reader.read(question as Question);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path);
    throw error;
  }
  return [];
}

const withDescriptor = (change: object) => ({ descriptors: [{ ...descriptor, ...change }] });

describe("QuestionReader", () => {
  it("gives every declared unit a cost: one request, nothing else", () => {
    expect(reader.read({ descriptors: [descriptor] }).cost).toEqual({
      requests: 1,
      tokens: 0,
    });
  });

  it("takes costs of declared units that no limit counts", () => {
    const { cost } = reader.read({ descriptors: [descriptor], cost: { tokens: 5 } });
    expect(cost).toEqual({ requests: 1, tokens: 5 });
  });

  it("finds a key and the limits of every descriptor, in the order of the question", () => {
    const question: Question = {
      descriptors: [
        { kind: "team", id: ["t", "gpt"], limits: [tokens, slots] },
        { kind: "key", id: "a b", limits: [requests] },
      ],
    };
    expect(reader.read(question).targets).toEqual([
      { kind: "team", id: "t:gpt", limits: [tokens, slots] },
      { kind: "key", id: "a%0020b", limits: [requests] },
    ]);
  });

  it.each([undefined, null, 5, "question", [], () => {}])("refuses %s for a question", (junk) => {
    expect(problemsOf(junk)).not.toEqual([]);
  });

  it("lists everything that is wrong at once", () => {
    const question = {
      descriptors: [
        { kind: "1st", id: "", limits: [] },
        null,
        { ...descriptor, limits: [requests, null, requests, { ...tokens }] },
        descriptor,
        descriptor,
      ],
      cost: { requests: -1, tokens: 1.5, points: 1 },
      priority: 5,
      urgency: "high",
      signal: "aborted",
    };
    expect(problemsOf(question)).toEqual([
      "urgency",
      "signal",
      "priority",
      "cost.requests",
      "cost.tokens",
      "cost.points",
      "descriptors[0].kind",
      "descriptors[0].id",
      "descriptors[0].limits",
      "descriptors[1]",
      "descriptors[2].limits[1]",
      "descriptors[2].limits[2].name",
      "descriptors[2].limits[3]",
      "descriptors[4]",
    ]);
  });

  it.each(["", "1key", "_key", "key:1", "key 1", "{key}", "kéy", "k".repeat(65), 1, null, ["key"]])(
    "refuses the kind %j",
    (kind) => {
      expect(problemsOf(withDescriptor({ kind }))).toEqual(["descriptors[0].kind"]);
    },
  );

  it.each(["k", "K", "model_per.team-2", "k".repeat(64), "constructor"])(
    "takes the kind %j",
    (kind) => {
      expect(problemsOf(withDescriptor({ kind }))).toEqual([]);
    },
  );

  it("refuses a list with a hole for an id", () => {
    const id = ["a", "b"];
    id.length = 3;
    expect(problemsOf(withDescriptor({ id }))).toEqual(["descriptors[0].id"]);
    expect(problemsOf(withDescriptor({ id: new Array(1) }))).toEqual(["descriptors[0].id"]);
  });

  it("takes ids of up to 16 parts", () => {
    expect(problemsOf(withDescriptor({ id: new Array(16).fill("p") }))).toEqual([]);
    expect(problemsOf(withDescriptor({ id: new Array(17).fill("p") }))).toEqual([
      "descriptors[0].id",
    ]);
  });

  it.each([
    { what: "a hand-made limit", limit: { ...requests } },
    { what: "a copy of a limit", limit: structuredClone(requests) },
    { what: "a limit from JSON", limit: JSON.parse(JSON.stringify(requests)) },
    { what: "a limit with another max", limit: { ...requests, max: Number.NaN } },
    { what: "options of a limit", limit: { max: 1, windowMs: 1_000 } },
    { what: "a number", limit: 100 },
    { what: "nothing", limit: undefined },
  ])("refuses $what in place of a limit", ({ limit }) => {
    const limits = [limit as Limit, requests];
    expect(problemsOf(withDescriptor({ limits }))).toContain("descriptors[0].limits[0]");
  });

  it("refuses a limit of a unit that the limiter does not declare", () => {
    const limits = [fixedWindow({ unit: "points", max: 1, windowMs: 1 }), slots];
    expect(problemsOf(withDescriptor({ limits }))).toEqual(["descriptors[0].limits[0].unit"]);
  });

  it.each([null, {}, 5, "aborted", { aborted: "yes" }])("refuses %j for a signal", (signal) => {
    expect(problemsOf({ descriptors: [descriptor], signal })).toEqual(["signal"]);
  });

  it.each([null, 5, "1", [], [1], () => {}])("refuses %j for a cost", (cost) => {
    expect(problemsOf({ descriptors: [descriptor], cost })).toEqual(["cost"]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, "1", null, 2 ** 53, 1n, true])(
    "refuses %s units",
    (amount) => {
      const question = { descriptors: [descriptor], cost: { tokens: amount } };
      expect(problemsOf(question)).toEqual(["cost.tokens"]);
    },
  );

  it.each(["__proto__", "constructor", "slots", "Tokens", ""])(
    "refuses the undeclared unit %j",
    (unit) => {
      const cost = JSON.parse(`{ ${JSON.stringify(unit)}: 1 }`);
      expect(problemsOf({ descriptors: [descriptor], cost })).toEqual([`cost.${unit}`]);
    },
  );
});
