import { concurrency, fixedWindow, slidingLog, tokenBucket } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import type { Action } from "../scenario/action";
import type { Answer } from "../scenario/actor";
import { play } from "../scenario/play";
import { steadyScenario } from "../scenario/scenario-arbitrary";
import { nameOf, type Standing, standingsOf } from "../scenario/standing";
import { setStage, startsMs } from "../stage";

describe("Law 1, one instant, all or nothing: a question", () => {
  it("charges every limit that passes if it is admitted, and nothing at all if not", async () => {
    await fc.assert(
      fc.asyncProperty(steadyScenario, async (scenario) => {
        let before = new Map<string, Standing>();
        const { stage } = await play(scenario, async (action, answer, on) => {
          const after = await standingsOf(scenario, on);
          if (action.do === "ask") {
            const charged = chargesOf(action, answer);
            for (const [name, { used }] of after) {
              expect(used, name).toBe((before.get(name)?.used ?? 0) + (charged.get(name) ?? 0));
            }
            if (answer?.admitted === false && before.size > 0) expect(after).toEqual(before);
          }
          before = after;
        });
        await stage.limiter.close();
      }),
      runs(60),
    );
  });

  it("never gets the last unit twice when many are asked in one turn", async () => {
    const count = fc.integer({ min: 1, max: 30 });
    const max = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...startsMs), count, max, async (startMs, asked, most) => {
        const { limiter } = setStage({ startMs });
        const limits = [
          fixedWindow({ name: "a", max: most, windowMs: 1_000 }),
          slidingLog({ name: "b", max: most + 1, windowMs: 1_000 }),
          tokenBucket({ name: "c", capacity: most + 2, refill: 1, perMs: 1_000 }),
          concurrency({ name: "d", max: most + 3 }),
        ];
        const question = { descriptors: [{ kind: "key", id: "k", limits }] };
        const asking = Array.from({ length: asked }, () => limiter.admit(question));
        const verdicts = await Promise.all(asking);
        const admitted = verdicts.filter((verdict) => verdict.admitted).length;
        expect(admitted).toBe(Math.min(asked, most));
        const { statuses } = await limiter.peek(question);
        expect(statuses.map(({ used }) => used)).toEqual([admitted, admitted, admitted, admitted]);
        await limiter.close();
      }),
      runs(50),
    );
  });
});

/** What an answer to a question has to have charged, by the names of the limits. */
function chargesOf(
  { question }: Extract<Action, { do: "ask" }>,
  answer: Answer,
): Map<string, number> {
  if (answer?.admitted !== true) return new Map();
  const charging = answer.statuses.filter((status) => !status.wouldReject);
  return new Map(
    charging.map((status) => {
      const missing = status.unit === "tokens" ? 0 : 1;
      return [nameOf(status), question.cost?.[status.unit] ?? missing];
    }),
  );
}
