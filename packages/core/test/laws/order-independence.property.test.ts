import type { Question } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import type { Action } from "../scenario/action";
import { Actor, type Answer } from "../scenario/actor";
import { play } from "../scenario/play";
import { scenario } from "../scenario/scenario-arbitrary";
import { nameOf, standingsOf } from "../scenario/standing";
import { setStage } from "../stage";
import { factsOf } from "../verdicts";

describe("Law 9, order independence:", () => {
  it("a play with all checks in another order gets the same verdicts and charges", async () => {
    const turn = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(scenario, turn, turn, async (drawn, by, within) => {
        const answers: Answer[] = [];
        const first = await play(drawn, (_action, answer) => answers.push(answer));
        const other = setStage({ startMs: drawn.startMs });
        const actor = new Actor(other);
        for (const [index, action] of first.actions.entries()) {
          const answer = await actor.act(reordered(action, by, within));
          expect(inOrder(answer)).toEqual(inOrder(answers[index]));
        }
        expect(await standingsOf(drawn, other)).toEqual(await standingsOf(drawn, first.stage));
        await other.limiter.close();
        await first.stage.limiter.close();
      }),
      runs(80),
    );
  });
});

function reordered(action: Action, by: number, within: number): Action {
  if (!("question" in action)) return action;
  const descriptors = turned(action.question.descriptors, by).map((descriptor) => ({
    ...descriptor,
    limits: turned(descriptor.limits, within),
  }));
  const question: Question = { ...action.question, descriptors };
  return { ...action, question };
}

/** An odd turn reverses, and then what is in front goes to the back `by` times. */
function turned<T>(list: readonly T[], by: number): T[] {
  const start = by % Math.max(1, list.length);
  const ordered = by % 2 === 0 ? [...list] : [...list].reverse();
  return [...ordered.slice(start), ...ordered.slice(0, start)];
}

/** The facts of an answer with its rows in one order, and without the order of the question. */
function inOrder(answer: Answer): unknown {
  if (answer === undefined) return undefined;
  const rows = (statuses: typeof answer.statuses) =>
    statuses
      .map(({ descriptor, ...row }) => ({ ...row, key: nameOf({ descriptor, ...row }) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  if (answer.admitted) return { statuses: rows(answer.statuses) };
  const { rejection } = factsOf(answer) as { rejection: object };
  return {
    statuses: rows(answer.statuses),
    rejection: { ...rejection, violated: rows(answer.rejection.violated) },
  };
}
