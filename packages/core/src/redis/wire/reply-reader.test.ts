import { fixedWindow, slidingLog } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import type { AdmitCommand, FullCost, LimitsTarget } from "../../engine/command";
import type { AdmitReply } from "../../engine/reply";
import type { CheckLimit } from "../../limit/limit";
import { admitOperation } from "./admit";
import { LATE } from "./operation";
import { ReplyReader } from "./reply-reader";

const anyCheck = fc.record({
  waitMs: fc.constantFrom(0, -1, -2, 1, 60_000),
  used: fc.maxSafeInteger(),
  resetAfterMs: fc.maxSafeInteger(),
  chargedAt: fc.oneof(fc.constant(-1), fc.nat()),
  serial: fc.nat(),
});

/** The ways in which clients hand numbers over. */
const forms: readonly ((number: number) => unknown)[] = [
  (number) => number,
  (number) => String(number),
  (number) => BigInt(number),
  (number) => Buffer.from(String(number)),
];

/** A descriptor of so many limits. */
function targetOf(count: number): LimitsTarget {
  const limit = slidingLog({ max: 1, windowMs: 1 });
  return { kind: "k", id: "i", limits: new Array(count).fill(limit) };
}

describe("A reply", () => {
  it("is the server's now and the checks, in whatever form the client hands numbers over", () => {
    const anyChecks = fc.array(anyCheck, { maxLength: 5 });
    fc.assert(
      fc.property(fc.nat(), anyChecks, fc.constantFrom(...forms), (nowMs, checks, form) => {
        const flat = checks.flatMap((check) => [
          check.waitMs,
          check.used,
          check.resetAfterMs,
          check.chargedAt,
          check.serial,
        ]);
        const reader = new ReplyReader([nowMs, ...flat].map(form));
        expect(reader.serverNowMs).toBe(nowMs);
        expect(reader.checks(checks.length === 0 ? [] : [targetOf(checks.length)])).toEqual(
          checks.map(({ waitMs, used, resetAfterMs, chargedAt, serial }) => ({
            passes: waitMs === 0,
            used,
            resetAfterMs,
            retryAfterMs: waitMs > 0 ? waitMs : undefined,
            chargedAt: chargedAt < 0 ? undefined : chargedAt,
            serial,
          })),
        );
        expect(() => reader.number()).toThrow(TypeError);
      }),
      runs(200),
    );
  });

  it.each([
    { what: "a text", reply: "OK" },
    { what: "nothing", reply: null },
    { what: "an object", reply: { 0: 5 } },
    { what: "an empty list", reply: [] },
    { what: "a list with nothing in it", reply: [null] },
    { what: "an empty text", reply: [""] },
    { what: "a truth", reply: [true] },
    { what: "a list in a list", reply: [[5]] },
    { what: "a fraction", reply: [0.5] },
    { what: "too large a number", reply: ["9007199254740993"] },
    { what: "a word", reply: ["five"] },
  ])("that is $what is none of ours", ({ reply }) => {
    expect(() => new ReplyReader(reply)).toThrow(TypeError);
  });

  it("of an admit names the limits whose state was replaced, target by target", () => {
    const limit = (name: string) => ({ name, kind: "sliding-log" }) as never;
    const command = {
      targets: [
        { kind: "a", id: "1", limits: [limit("x"), limit("y")] },
        { kind: "b", id: "2", limits: [limit("x")] },
      ],
    } as never;
    const check = [0, 1, 2, 3, 4];
    const reply = [5, 4, 2, 2, 3, ...check, ...check, ...check];
    expect(admitOperation.read(new ReplyReader(reply), command)).toMatchObject({
      admitted: true,
      replaced: [
        { kind: "a", id: "1", limit: "y" },
        { kind: "b", id: "2", limit: "x" },
      ],
    });
  });

  it("of admits says how many are told the same, with more used of what was charged", () => {
    const charged = fixedWindow({ name: "charged", max: 9, windowMs: 50 });
    const shadow = fixedWindow({ name: "shadow", max: 2, windowMs: 70, mode: "shadow" });
    const command = commandOf([charged, shadow], { requests: 2 });
    const reader = new ReplyReader([5, 1, 0, 4, 50, 100, 7, 60, 3, 70, -1, 8, -2]);
    const replies = [1, 2, 3].map(() => admitOperation.read(reader, command));
    const [first] = replies as [AdmitReply];
    expect(first.checks.map(({ used }) => used)).toEqual([4, 3]);
    expect(replies).toEqual(
      [4, 6, 8].map((used) => ({
        admitted: true,
        checks: [{ ...first.checks[0], used }, first.checks[1]],
      })),
    );
    expect(() => admitOperation.read(reader, command)).toThrow(TypeError);
  });

  it("of admits says how many are refused alike, or late, and goes on after them", () => {
    const limit = fixedWindow({ max: 9, windowMs: 50 });
    const command = commandOf([limit], { requests: 2 });
    const refused = [0, 50, 9, 50, -1, 0];
    const reader = new ReplyReader([5, 3, -1, ...refused, -1, 1, 0, 2, 50, 5, 6]);
    const replies = [1, 2, 3, 4, 5].map(() => admitOperation.read(reader, command));
    expect(replies.slice(0, 2)).toEqual([LATE, LATE]);
    expect(replies.slice(2)).toMatchObject([
      { admitted: false, checks: [{ used: 9, chargedAt: undefined }] },
      { admitted: false, checks: [{ used: 9, chargedAt: undefined }] },
      { admitted: true, checks: [{ used: 2, chargedAt: 5, serial: 6 }] },
    ]);
  });

  it("that repeats what was not told is none of ours", () => {
    const command = commandOf([fixedWindow({ max: 9, windowMs: 50 })], { requests: 1 });
    const read = () => admitOperation.read(new ReplyReader([5, -1]), command);
    expect(read).toThrow(TypeError);
  });
});

function commandOf(limits: readonly CheckLimit[], cost: FullCost): AdmitCommand {
  return {
    type: "admit",
    operationId: "",
    serial: 1,
    cost,
    targets: [{ kind: "k", id: "i", limits }],
  };
}
