import type { Question, Rejection } from "@sluice/core";
import { type Stage, setStage } from "../stage";
import { Actor } from "./actor";
import { play } from "./play";
import type { Scenario } from "./step";

/** A stage at the moment at which a question was refused. */
export interface Refusal {
  readonly stage: Stage;
  readonly question: Question;
  readonly rejection: Rejection;
}

/** Plays a scenario up to its last refused question; undefined if every question was admitted. */
export async function lastRefusal(scenario: Scenario): Promise<Refusal | undefined> {
  let refusedAt = -1;
  let count = 0;
  const { stage: first, actions } = await play(scenario, (action, answer) => {
    if (action.do === "ask" && answer?.admitted === false) refusedAt = count;
    count += 1;
  });
  await first.limiter.close();
  const refused = actions[refusedAt];
  if (refused?.do !== "ask") return undefined;
  const stage = setStage({ startMs: scenario.startMs });
  const actor = new Actor(stage);
  for (const action of actions.slice(0, refusedAt)) await actor.act(action);
  const answer = await actor.act(refused);
  if (answer?.admitted !== false) throw new Error("the same play ended in another verdict");
  return { stage, question: refused.question, rejection: answer.rejection };
}
