import { type Stage, type StageOptions, setStage } from "../stage";
import type { Action } from "./action";
import { Actor, type Answer, statusesOf } from "./actor";
import { Director } from "./director";
import type { Scenario } from "./step";

/** A stage on which a scenario was played. */
export interface Played {
  readonly stage: Stage;
  readonly actor: Actor;
  readonly director: Director;
  /** What was done, so that it can be done again elsewhere. */
  readonly actions: readonly Action[];
}

/** Called after every action, with what was answered and when. */
export type Watch = (action: Action, answer: Answer, stage: Stage, actor: Actor) => unknown;

/** Plays a scenario from its beginning. `watch` may ask further questions that change nothing. */
export async function play(
  scenario: Scenario,
  watch: Watch = () => {},
  options: StageOptions = {},
): Promise<Played> {
  const stage = setStage({ startMs: scenario.startMs, ...options });
  const director = new Director(scenario);
  const actor = new Actor(stage);
  const actions: Action[] = [];
  for (const step of scenario.steps) {
    const action = director.actionOf(step, stage.clock.nowMs());
    if (action === undefined) continue;
    const number = actor.asked;
    const answer = await actor.act(action);
    if (action.do === "ask" && answer?.admitted) director.noteAdmitted(number);
    director.noteTold(statusesOf(answer), stage.clock.nowMs());
    actions.push(action);
    await watch(action, answer, stage, actor);
  }
  return { stage, actor, director, actions };
}
