import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { Actor } from "../scenario/actor";
import { play } from "../scenario/play";
import { steadyScenario } from "../scenario/scenario-arbitrary";
import { standingsOf } from "../scenario/standing";
import { setStage } from "../stage";
import { expectAdmitted, factsOf } from "../verdicts";

describe("Law 2, a rejection costs nothing:", () => {
  it("a play in which every refused question is asked three times ends as if asked once", async () => {
    await fc.assert(
      fc.asyncProperty(steadyScenario, async (scenario) => {
        const first = await play(scenario);
        const stubborn = setStage({ startMs: scenario.startMs });
        const actor = new Actor(stubborn);
        for (const action of first.actions) {
          const answer = await actor.act(action);
          if (action.do !== "ask" || answer?.admitted !== false) continue;
          for (let again = 0; again < 2; again += 1) {
            const verdict = await stubborn.limiter.admit(action.question);
            expect(factsOf(verdict)).toEqual(factsOf(answer));
          }
        }
        expect(await standingsOf(scenario, stubborn)).toEqual(
          await standingsOf(scenario, first.stage),
        );
        await stubborn.limiter.close();
        await first.stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("a refund at the instant of the charge leaves no use behind", async () => {
    await fc.assert(
      fc.asyncProperty(steadyScenario, async (scenario) => {
        const { stage } = await play(scenario, async (action, answer, on) => {
          if (action.do !== "ask" || answer?.admitted !== true) return;
          const before = await usesOf(scenario, on);
          const again = await on.limiter.admit(action.question);
          if (!again.admitted) return;
          await expectAdmitted(again).refund();
          expect(await usesOf(scenario, on)).toEqual(before);
        });
        await stage.limiter.close();
      }),
      runs(60),
    );
  });
});

async function usesOf(...of: Parameters<typeof standingsOf>): Promise<[string, number][]> {
  return [...(await standingsOf(...of))].map(([name, { used }]) => [name, used]);
}
