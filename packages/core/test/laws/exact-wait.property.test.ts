import type { LimitStatus } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { lastRefusal } from "../scenario/last-refusal";
import { play } from "../scenario/play";
import { scenario, steadyScenario } from "../scenario/scenario-arbitrary";
import { expectAdmitted, expectRejected } from "../verdicts";

describe("Law 3, exact wait: a refused question", () => {
  it("is rejected one millisecond before retryAfterMs and admitted at it", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const refusal = await lastRefusal(drawn);
        if (refusal === undefined) return;
        const { stage, question, rejection } = refusal;
        const { retryAfterMs, violated } = rejection;
        if (retryAfterMs === undefined || violated.some(({ unit }) => unit === "slots")) return;
        await stage.clock.advanceAsync(retryAfterMs - 1);
        expect(expectRejected(await stage.limiter.admit(question)).retryAfterMs).toBe(1);
        await stage.clock.advanceAsync(1);
        expectAdmitted(await stage.limiter.admit(question));
        await stage.limiter.close();
      }),
      runs(200),
    );
  });

  it("has for each violated limit the wait that is exact for this limit alone", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const refusal = await lastRefusal(drawn);
        if (refusal === undefined) return;
        const { stage, question, rejection } = refusal;
        const { limiter, clock } = stage;
        const askedMs = clock.nowMs();
        for (const status of [...rejection.violated].sort(byWait)) {
          if (status.retryAfterMs === undefined) continue;
          const alone = { ...question, descriptors: [onlyThe(status)] };
          const leftMs = askedMs + status.retryAfterMs - clock.nowMs();
          if (leftMs > 0) {
            await clock.advanceAsync(leftMs - 1);
            expect(expectRejected(await limiter.peek(alone)).retryAfterMs).toBe(1);
            await clock.advanceAsync(1);
          }
          expect((await limiter.peek(alone)).admitted).toBe(true);
        }
        await limiter.close();
      }),
      runs(100),
    );
  });

  it("has no wait exactly if waiting does not help, and then stays refused for ever", async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const refusal = await lastRefusal(drawn);
        if (refusal === undefined) return;
        const { stage, question, rejection } = refusal;
        expect(rejection.retryAfterMs === undefined).toBe(!rejection.retryable);
        expect(rejection.reason === "cost_exceeds_limit").toBe(!rejection.retryable);
        if (!rejection.retryable) {
          await stage.clock.advanceAsync(drawn.unitMs * 500);
          expectRejected(await stage.limiter.admit(question), "cost_exceeds_limit");
        }
        await stage.limiter.close();
      }),
      runs(100),
    );
  });
});

describe("Law 3, exact wait: resetAfterMs", () => {
  it("is when nothing counts any more, and not one millisecond earlier", async () => {
    await fc.assert(
      fc.asyncProperty(steadyScenario, async (drawn) => {
        const { stage, director } = await play(drawn);
        const { limiter, clock } = stage;
        const { statuses } = await limiter.peek(director.survey());
        const askedMs = clock.nowMs();
        for (const status of [...statuses].sort((a, b) => a.resetAfterMs - b.resetAfterMs)) {
          if (status.unit === "slots" || status.resetAfterMs === 0) continue;
          const look = async () => {
            const [now] = (await limiter.peek({ descriptors: [onlyThe(status)] })).statuses;
            return { used: now?.used, resetAfterMs: now?.resetAfterMs };
          };
          const leftMs = askedMs + status.resetAfterMs - clock.nowMs();
          if (leftMs > 0) {
            await clock.advanceAsync(leftMs - 1);
            expect((await look()).resetAfterMs).toBe(1);
            await clock.advanceAsync(1);
          }
          expect(await look()).toEqual({ used: 0, resetAfterMs: 0 });
        }
        await limiter.close();
      }),
      runs(60),
    );
  });
});

function byWait(a: LimitStatus, b: LimitStatus): number {
  return (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0);
}

/** The descriptor of a status with only the limit that the status is about. */
function onlyThe({ descriptor, name }: LimitStatus) {
  return { ...descriptor, limits: descriptor.limits.filter((limit) => limit.name === name) };
}
