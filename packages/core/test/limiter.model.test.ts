import type { SluiceEvent } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectAsModelled } from "./model/expect-as-modelled";
import { ModelLimiter, type ModelPermit } from "./model/model-limiter";
import { runs } from "./runs";
import type { Action } from "./scenario/action";
import type { Answer } from "./scenario/actor";
import { Director } from "./scenario/director";
import { foundFailures } from "./scenario/found-failures";
import { play } from "./scenario/play";
import { scenario } from "./scenario/scenario-arbitrary";
import type { Scenario } from "./scenario/step";

/** Does to the model what was done to the limiter, and compares the answers. */
class ModelledActor {
  readonly #model = new ModelLimiter();
  readonly #permits: (ModelPermit | undefined)[] = [];

  act(action: Action, answer: Answer, nowMs: number, events: readonly SluiceEvent[]): void {
    switch (action.do) {
      case "ask":
      case "ask and crash": {
        const { verdict, permit } = this.#model.admit(action.question, nowMs);
        if (answer !== undefined) expectAsModelled(answer, verdict);
        expect(replacedIn(events)).toEqual(permit?.replaced ?? []);
        this.#permits.push(action.do === "ask" ? permit : undefined);
        if (action.do === "ask and crash" && permit !== undefined) this.#model.crash(permit);
        return;
      }
      case "peek":
        if (answer !== undefined)
          expectAsModelled(answer, this.#model.peek(action.question, nowMs));
        return;
      case "reset":
        this.#model.reset(action.descriptors);
        return;
      case "wait":
      case "skip":
        return;
      default:
        this.#close(action, nowMs);
    }
  }

  #close(action: Extract<Action, { permit: number }>, nowMs: number): void {
    const permit = this.#permits[action.permit];
    if (permit === undefined) return;
    if (action.do === "settle") this.#model.settle(permit, action.actual, nowMs);
    if (action.do === "refund") this.#model.refund(permit, nowMs);
    if (action.do === "release") this.#model.release(permit);
  }
}

/** Names of the limits that were told to have replaced the state of another shape. */
function replacedIn(events: readonly SluiceEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "state_replaced" ? event.limit : []));
}

/** Plays a scenario on the limiter and on the model; both have to say the same all the time. */
async function playAsModelled(scenario: Scenario): Promise<void> {
  const modelled = new ModelledActor();
  const survey = { do: "peek", question: new Director(scenario).survey() } as const;
  const { stage } = await play(scenario, async (action, answer, { clock, events }, actor) => {
    modelled.act(action, answer, clock.nowMs(), events.splice(0));
    modelled.act(survey, await actor.act(survey), clock.nowMs(), events.splice(0));
  });
  await stage.limiter.close();
}

describe("A limiter on the memory store", () => {
  it("answers every question as a list of charges does, whatever happened before", async () => {
    const examples = foundFailures.map((found): [Scenario] => [found]);
    await fc.assert(fc.asyncProperty(scenario, playAsModelled), { ...runs(300), examples });
  });

  it("is tried with plays in which a fair part of the questions is refused", async () => {
    let admitted = 0;
    let rejected = 0;
    const count = async (drawn: Scenario) => {
      const { stage } = await play(drawn, (_action, answer) => {
        if (answer?.admitted === true) admitted += 1;
        if (answer?.admitted === false) rejected += 1;
      });
      await stage.limiter.close();
    };
    await fc.assert(fc.asyncProperty(scenario, count), { seed: 1, numRuns: 50 });
    const rejectedRatio = rejected / (admitted + rejected);
    expect(rejectedRatio).toBeGreaterThan(0.2);
    expect(rejectedRatio).toBeLessThan(0.8);
  });
});
