import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineServer } from "../../../test/redis/cluster/engine-server";
import { anyAdmit } from "../../../test/redis/wire/any-command";
import { runs } from "../../../test/runs";
import type { AdmitCommand } from "../../engine/command";
import { refundOf } from "./late-charge";

const NOW_MS = 1_000_000;

/** Costs that limits have room for, so that many are admitted. */
const anyPlainAdmit: fc.Arbitrary<AdmitCommand> = anyAdmit.map((command) => {
  const { undoableForMs: _, cost, ...others } = command;
  const small = Object.fromEntries(Object.entries(cost).map(([unit, units]) => [unit, units % 3]));
  return { ...others, operationId: others.operationId || "op", cost: small };
});

describe("What was charged too late", () => {
  it("is taken back in full, slots too, and once is enough", () => {
    fc.assert(
      fc.property(anyPlainAdmit, (command) => {
        const server = new EngineServer();
        const before = server.usedBy(command, NOW_MS);
        const reply = server.admit(command, NOW_MS);
        const refund = refundOf(command, reply);
        if (refund !== undefined) {
          expect(reply.admitted).toBe(true);
          server.settle(refund, NOW_MS + 1);
        }
        expect(server.usedBy(command, NOW_MS + 1)).toEqual(before);
      }),
      runs(300),
    );
  });

  it("is nothing where the question was refused, or costs nothing", () => {
    fc.assert(
      fc.property(anyPlainAdmit, (command) => {
        const server = new EngineServer();
        const reply = server.admit(command, NOW_MS);
        const isCharged = reply.checks.some(({ chargedAt }) => chargedAt !== undefined);
        expect(refundOf(command, reply) !== undefined).toBe(reply.admitted && isCharged);
        expect(refundOf(command, { ...reply, admitted: false })).toBeUndefined();
      }),
      runs(200),
    );
  });
});
