import { fixedWindow } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyAdmit,
  anyRelease,
  anyRenew,
  anySettle,
  anyUndo,
  isSlots,
} from "../../../test/redis/wire/any-command";
import { DecodedCall, seenOf } from "../../../test/redis/wire/decoded-call";
import { runs } from "../../../test/runs";
import type { AdmitCommand, DescriptorKey, LimitsTarget, SettleTarget } from "../../engine/command";
import { costFor } from "../../engine/cost";
import type { CheckLimit } from "../../limit/limit";
import { KeyTexts } from "../key/key-texts";
import { admitOperation } from "./admit";
import { CallWriter } from "./call-writer";
import type { Operation } from "./operation";
import { peekOperation } from "./peek";
import { releaseOperation } from "./release";
import { renewOperation } from "./renew";
import { resetOperation } from "./reset";
import { settleOperation } from "./settle";
import { undoOperation } from "./undo";

const texts = new KeyTexts("p", undefined);

const recordOf = (key: DescriptorKey, operationId: string) =>
  texts.record(texts.chain(key), operationId);

const leasesOf = (key: DescriptorKey, limit: CheckLimit) =>
  isSlots(limit) ? texts.leases(texts.chain(key), limit.name) : undefined;

/** Writes commands into one call, the deadline of each its place and 1, and reads them. */
function decoded<C extends { readonly targets: readonly DescriptorKey[] }>(
  operation: Operation<C, unknown>,
  commands: readonly C[],
): DecodedCall {
  const writer = new CallWriter(texts);
  for (const [place, command] of commands.entries()) {
    operation.write(writer, command, place + 1);
  }
  return new DecodedCall(writer);
}

const several = <C>(command: fc.Arbitrary<C>) => fc.array(command, { minLength: 1, maxLength: 3 });

/** The checks that a script should see. */
const seenChecks = (
  targets: readonly LimitsTarget[],
  cost: Readonly<Record<string, number>>,
  isUndoable: boolean,
) =>
  targets.flatMap((target) => {
    const hasChain = isUndoable || target.limits.some((limit) => !isSlots(limit));
    return target.limits.map((limit) => {
      const chain = hasChain ? texts.chain(target) : undefined;
      if (isSlots(limit)) return { chain, limit: seenOf(limit), leases: leasesOf(target, limit) };
      return { chain, limit: seenOf(limit), units: costFor(limit, cost) };
    });
  });

/** A question that charges, its deadline its place and 1. */
function seenQuestion(command: AdmitCommand, place: number) {
  const { operationId, serial, undoableForMs = 0, targets, cost } = command;
  const checks = seenChecks(targets, cost, undoableForMs > 0);
  const question = { deadlineMs: place + 1, serial, checks };
  if (operationId === "") return question;
  const records = (undoableForMs > 0 ? targets : []).flatMap((target) => [
    texts.chain(target),
    recordOf(target, operationId),
  ]);
  return { ...question, operation: [operationId, undoableForMs, records] };
}

describe("A script is told", () => {
  it("questions as they were asked, each with its deadline", () => {
    fc.assert(
      fc.property(several(anyAdmit), (commands) => {
        const call = decoded(admitOperation, commands);
        expect(call.questions).toEqual(commands.map(seenQuestion));
      }),
      runs(200),
    );
  });

  it("in one group what differs only in whom it is about", () => {
    const limits = [
      fixedWindow({ max: 5, windowMs: 1 }),
      fixedWindow({ name: "b", max: 9, windowMs: 7 }),
    ];
    const anyIds = fc.array(
      fc.array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 2 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(anyIds, fc.nat(), (all, serial) => {
        const commands = all.map((ids, place) => ({
          ...{
            type: "admit" as const,
            operationId: "",
            serial: serial + place,
            cost: { requests: 3 },
          },
          targets: ids.map((id) => ({ kind: "k", id, limits })),
        }));
        const writer = new CallWriter(texts);
        for (const command of commands) admitOperation.write(writer, command, 1);
        const call = new DecodedCall(writer);
        expect(call.commands).toHaveLength(1);
        expect(call.questions).toEqual(
          commands.map((command) => ({ ...seenQuestion(command, 0) })),
        );
      }),
      runs(100),
    );
  });

  it.each([
    { what: "about the same keys", ids: ["a", "a", "a"], places: [1], times: -3 },
    { what: "about keys one after the other", ids: ["a", "b", "c"], places: [1], times: 3 },
    { what: "about others", ids: ["a", "b", "a"], places: [1, 2, 1], times: 3 },
  ])("and that group is short where questions are $what", ({ ids, places, times }) => {
    const limits = [fixedWindow({ max: 5, windowMs: 1 })];
    const writer = new CallWriter(texts);
    for (const [place, id] of ids.entries()) {
      const targets = [{ kind: "k", id, limits }];
      const cost = { requests: 1 };
      const command = { type: "admit", operationId: "", serial: 7 + place, cost, targets } as const;
      admitOperation.write(writer, command, 5);
    }
    expect(new DecodedCall(writer).commands).toEqual([[5, 7, times, 1, 1, 1, 1, ...places]]);
  });

  it.each([
    { what: "cost", other: { cost: { requests: 2 } } },
    { what: "serials that do not follow", other: { serial: 9 } },
    { what: "limits", other: { limits: [fixedWindow({ max: 6, windowMs: 1 })] } },
    { what: "an operation", other: { operationId: "op" } },
  ])("in a group of its own what differs in $what", ({ other }) => {
    const limits = [fixedWindow({ max: 5, windowMs: 1 })];
    const question = { operationId: "", serial: 7, cost: { requests: 1 }, limits };
    const commands = [question, { ...question, serial: 8, ...other }].map((asked) => {
      const { limits: own, ...rest } = asked;
      return { type: "admit" as const, ...rest, targets: [{ kind: "k", id: "i", limits: own }] };
    });
    const writer = new CallWriter(texts);
    for (const command of commands) admitOperation.write(writer, command, 1);
    const call = new DecodedCall(writer);
    expect(call.commands).toHaveLength(2);
    expect(call.questions).toEqual(commands.map((command) => seenQuestion(command, 0)));
  });

  it("what is only looked at", () => {
    fc.assert(
      fc.property(several(anyAdmit), (admits) => {
        const commands = admits.map(
          ({ cost, targets }) => ({ type: "peek", cost, targets }) as const,
        );
        const call = decoded(peekOperation, commands);
        expect(call.questions.map(({ checks }) => checks)).toEqual(
          commands.map(({ cost, targets }) => seenChecks(targets, cost, false)),
        );
      }),
      runs(100),
    );
  });

  it("settlements, correction by correction", () => {
    fc.assert(
      fc.property(several(anySettle), (commands) => {
        const call = decoded(settleOperation, commands);
        for (const [place, command] of commands.entries()) {
          const flat = call.commands[place] ?? [];
          const { serial, operationId, onceForMs = 0, targets } = command;
          expect(flat.slice(0, 4)).toEqual([serial, operationId, onceForMs, targets.length]);
          let at = 4;
          for (const target of targets) {
            const record = onceForMs > 0 ? recordOf(target, operationId) : undefined;
            at = expectCorrections(call, flat, at, target, record);
          }
          expect(at).toBe(flat.length);
        }
      }),
      runs(200),
    );
  });

  it("what is undone, and where its slots are", () => {
    fc.assert(
      fc.property(several(anyUndo), (commands) => {
        const call = decoded(undoOperation, commands);
        for (const [place, { serial, operationId, tombstoneMs, targets }] of commands.entries()) {
          const flat = call.commands[place] ?? [];
          expect(flat.slice(0, 4)).toEqual([serial, operationId, tombstoneMs, targets.length]);
          let at = 4;
          for (const target of targets) {
            expect([call.key(flat[at]), call.key(flat[at + 1]), flat[at + 2]]).toEqual([
              texts.chain(target),
              recordOf(target, operationId),
              target.limits.length,
            ]);
            at += 3;
            for (const limit of target.limits) {
              expect(call.limit(flat[at])).toEqual(seenOf(limit));
              expect(call.key(flat[at + 1])).toBe(leasesOf(target, limit));
              at += 2;
            }
          }
          expect(at).toBe(flat.length);
        }
      }),
      runs(100),
    );
  });

  it("leases to free and to prolong, each with its set", () => {
    fc.assert(
      fc.property(several(anyRelease), several(anyRenew), (releases, renewals) => {
        const freed = decoded(releaseOperation, releases);
        const isFreed = freed.commands.map((flat) =>
          flat.map((item, at) => (at % 2 === 0 ? freed.key(item) : item)),
        );
        expect(isFreed).toEqual(
          releases.map(({ operationId, targets }) =>
            targets.flatMap((target) =>
              target.limits.flatMap((limit) => [leasesOf(target, limit), operationId]),
            ),
          ),
        );
        const prolonged = decoded(renewOperation, renewals);
        const isProlonged = prolonged.commands.map((flat) =>
          flat.map((item, at) => (at % 4 === 0 ? prolonged.key(item) : item)),
        );
        expect(isProlonged).toEqual(
          renewals.map(({ targets }) =>
            targets.flatMap((target) =>
              target.leases.flatMap(({ limit, operationId, expiresAtMs }) => [
                leasesOf(target, limit),
                operationId,
                limit.leaseMs,
                expiresAtMs,
              ]),
            ),
          ),
        );
      }),
      runs(100),
    );
  });

  it("which counters to forget", () => {
    fc.assert(
      fc.property(several(anyAdmit), (admits) => {
        const commands = admits.map(({ targets }) => ({ type: "reset", targets }) as const);
        const call = decoded(resetOperation, commands);
        const seen = call.commands.map((flat) => flat.map((place) => call.key(place)));
        expect(seen).toEqual(commands.map(({ targets }) => targets.map((key) => texts.chain(key))));
      }),
      runs(50),
    );
  });

  it("every key once, and every limit once", () => {
    fc.assert(
      fc.property(several(anyAdmit), (admits) => {
        const commands = [...admits, ...admits];
        const call = decoded(admitOperation, commands);
        expect(new Set(call.keys).size).toBe(call.keys.length);
        const limits = commands.flatMap(({ targets }) => targets.flatMap((each) => each.limits));
        expect(call.limitCount).toBe(new Set(limits).size);
      }),
      runs(50),
    );
  });

  it("names of every legal character", () => {
    const name = "AZaz09_.-";
    const limits = [fixedWindow({ name, unit: "a-z_0", max: 1, windowMs: 1 })];
    const targets = [{ kind: "k", id: "i", limits }];
    const cost = { "a-z_0": 1 };
    const call = decoded(peekOperation, [{ type: "peek", cost, targets }]);
    expect(call.limit(1)).toMatchObject({ name, unit: "a-z_0" });
  });
});

function expectCorrections(
  call: DecodedCall,
  flat: readonly (number | string)[],
  first: number,
  target: SettleTarget,
  record: string | undefined,
): number {
  const { corrections } = target;
  const hasCounters = corrections.some(({ limit }) => !isSlots(limit));
  const chain = hasCounters ? texts.chain(target) : undefined;
  expect([call.key(flat[first]), call.key(flat[first + 1]), flat[first + 2]]).toEqual([
    chain,
    record,
    corrections.length,
  ]);
  let at = first + 3;
  for (const { limit, charged, actual, chargedAt = -1, serial } of corrections) {
    expect(call.limit(flat[at])).toEqual(seenOf(limit));
    expect(flat.slice(at + 1, at + 5)).toEqual([charged, actual, chargedAt, serial]);
    expect(call.key(flat[at + 5])).toBe(leasesOf(target, limit));
    at += 6;
  }
  return at;
}
