import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  anyFates,
  anyQuestion,
  CrossSlotStage,
  commandFor,
  everything,
  isReply,
  LEASE_MS,
  maxima,
  noFaults,
  UNDOABLE_MS,
} from "../../../test/redis/cluster/cross-slot-stage";
import { EngineServer } from "../../../test/redis/cluster/engine-server";
import { runs } from "../../../test/runs";
import type { LimitsTarget } from "../../engine/command";
import type { AdmitReply } from "../../engine/reply";

const LOST = { thereMs: Number.POSITIVE_INFINITY, backMs: 1, isRefused: false };

const anyQuestions = fc.array(anyQuestion, { minLength: 1, maxLength: 8 });

describe("Across slots, whatever requests and replies are lost or late", () => {
  it("never more is admitted than a limit has", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuestions, anyFates, async (questions, fates) => {
        const stage = new CrossSlotStage(fates);
        await stage.askAll(questions);
        await stage.clock.advanceAsync(UNDOABLE_MS);
        for (const question of questions) stage.ask({ ...question, afterMs: 0 });
        await stage.clock.advanceAsync(200);
        for (const [place, held] of stage.held().entries()) {
          expect(held).toBeLessThanOrEqual(maxima[place] as number);
        }
      }),
      runs(200),
    );
  });

  it("every caller is answered by the deadline", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuestions, anyFates, async (questions, fates) => {
        const stage = new CrossSlotStage(fates);
        await stage.askAll(questions);
        for (const { told } of stage.asked) expect(told).toBeDefined();
      }),
      runs(200),
    );
  });

  it("only what was admitted is charged once the undos are through", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuestions, anyFates, async (questions, fates) => {
        const stage = new CrossSlotStage(fates);
        await stage.askAll(questions);
        await stage.clock.advanceAsync(UNDOABLE_MS);
        const used = stage.server.used(everything, stage.clock.nowMs());
        expect(used).toEqual(stage.held());
        await stage.clock.runUntilIdle();
      }),
      runs(200),
    );
  });

  it("a process that dies leaves no more than what it had asked, and no slot beyond its lease", async () => {
    const anyLifetime = fc.nat({ max: 12 });
    await fc.assert(
      fc.asyncProperty(anyQuestions, anyFates, anyLifetime, async (questions, fates, lifetime) => {
        const stage = new CrossSlotStage(fates, lifetime);
        await stage.askAll(questions);
        await stage.clock.advanceAsync(UNDOABLE_MS);
        const used = stage.server.used(everything, stage.clock.nowMs());
        for (const [place, held] of stage.held().entries()) {
          expect(used[place]).toBeGreaterThanOrEqual(held);
          expect(used[place]).toBeLessThanOrEqual(maxima[place] as number);
        }
        await stage.clock.advanceAsync(LEASE_MS);
        const slots = everything.filter(({ kind }) => kind === "user");
        const later = stage.server.used(slots, stage.clock.nowMs());
        expect(later.filter((_, place) => place % 2 === 1)).toEqual([0, 0]);
      }),
      runs(200),
    );
  });
});

describe("Across slots, while nothing is lost and nobody else asks,", () => {
  it("the verdict and its checks are those of one step, in the order of the question", async () => {
    await fc.assert(
      fc.asyncProperty(anyQuestions, async (questions) => {
        const stage = new CrossSlotStage(noFaults);
        const inOneStep = new EngineServer();
        for (const [index, question] of questions.entries()) {
          const { told } = await settled(stage, question);
          const expected = inOneStep.admit(commandFor(question, index + 1), stage.clock.nowMs());
          if (!isReply(told)) throw told;
          expect(told.admitted).toBe(expected.admitted);
          const isAt = told.checks.map(({ passes, used }) => ({ passes, used }));
          expect(isAt).toEqual(expected.checks.map(({ passes, used }) => ({ passes, used })));
          // A refusal charges nothing, and says so.
          const charged = told.checks.map(({ chargedAt }) => chargedAt !== undefined);
          expect(charged).toEqual(expected.checks.map(({ chargedAt }) => chargedAt !== undefined));
        }
      }),
      runs(200),
    );
  });
});

describe("Across slots, after a refusal,", () => {
  it("it stands where the other parts cannot be asked, and of them nothing is said", async () => {
    const stage = new CrossSlotStage({ ...noFaults, peek: [{ ...LOST }, { ...LOST }] });
    const [tenant, user] = ["tenant", "user"].map((kind) => {
      return everything.find((target) => target.kind === kind && target.id === "a");
    }) as [LimitsTarget, LimitsTarget];
    await stage.askAll([{ afterMs: 0, cost: 3, targets: [user, tenant] }]);
    const { told } = stage.ask({ afterMs: 0, cost: 3, targets: [user, tenant] });
    expect(told).toBeUndefined();
    await stage.clock.advanceAsync(200);
    const [, refused] = stage.asked;
    // The log of the user is full; what became of the tenant's window is not known.
    expect(refused?.told).toMatchObject({ admitted: false, unknown: [2] });
    expect((refused as { readonly told: AdmitReply }).told.checks[0]).toMatchObject({
      passes: false,
      used: 3,
    });
  });
});

async function settled(stage: CrossSlotStage, question: Parameters<CrossSlotStage["ask"]>[0]) {
  const asked = stage.ask(question);
  await stage.clock.advanceAsync(50);
  return asked;
}
