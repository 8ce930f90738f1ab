import type { LimiterPermit, LimitStatus, Peek, Verdict } from "@sluice/core";
import type { Stage } from "../stage";
import type { Action } from "./action";

/** What the limiter answered to an action that asks. */
export type Answer = Verdict<LimiterPermit> | Peek | undefined;

/** Does actions on a stage and keeps the permits by number. */
export class Actor {
  readonly #stage: Stage;
  readonly #permits: (LimiterPermit | undefined)[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** How many questions were asked so far; the number of the next permit. */
  get asked(): number {
    return this.#permits.length;
  }

  async act(action: Action): Promise<Answer> {
    const { limiter, clock } = this.#stage;
    switch (action.do) {
      case "ask": {
        const verdict = await limiter.admit(action.question);
        this.#permits.push(verdict.admitted ? verdict.permit : undefined);
        return verdict;
      }
      case "ask and crash": {
        const process = this.#stage.openProcess();
        const verdict = await process.admit(action.question);
        this.#permits.push(undefined);
        await process.close();
        return verdict;
      }
      case "peek":
        return await limiter.peek(action.question);
      case "settle":
        await this.#permits[action.permit]?.settle(action.actual);
        return undefined;
      case "release":
        await this.#permits[action.permit]?.release();
        return undefined;
      case "refund":
        await this.#permits[action.permit]?.refund();
        return undefined;
      case "reset":
        await limiter.reset({ descriptors: action.descriptors });
        return undefined;
      case "skip":
        this.#permits.push(undefined);
        return undefined;
      case "wait":
        await clock.advanceAsync(action.ms);
        return undefined;
    }
  }

  /** Closes every permit that is still open. */
  async closeAll(): Promise<void> {
    for (const permit of this.#permits) await permit?.release();
  }
}

/** The statuses of an answer, if there was one. */
export function statusesOf(answer: Answer): readonly LimitStatus[] {
  return answer === undefined ? [] : answer.statuses;
}
