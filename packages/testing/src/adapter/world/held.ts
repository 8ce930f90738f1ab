import type { AnswerBehaviour } from "../adapter-behaviour";
import { until } from "./until";

/** Handlers that keep their responses until the case lets them go. */
export class Held {
  readonly #held: (() => void)[] = [];

  /** How many are held now. */
  get count(): number {
    return this.#held.length;
  }

  /** What the next handler does: nothing, until it is released. */
  hold(): AnswerBehaviour {
    const after = new Promise<void>((resolve) => this.#held.push(resolve));
    return { does: "answer", status: 200, headers: {}, body: "held", after };
  }

  untilHolds(count: number): Promise<void> {
    return until(`${count} are held`, () => this.#held.length >= count);
  }

  /** Lets the oldest go on. */
  release(count = this.#held.length): void {
    for (const go of this.#held.splice(0, count)) go();
  }
}
