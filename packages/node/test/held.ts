import type { NodeRequest, NodeResponse } from "../src/message";
import { until } from "./until";

/** A handler that keeps every response until the test lets it go. */
export class Held {
  readonly #held: NodeResponse[] = [];

  get count(): number {
    return this.#held.length;
  }

  readonly handler = (_req: NodeRequest, res: NodeResponse): void => {
    this.#held.push(res);
  };

  untilHolds(count: number): Promise<void> {
    return until(`${count} are held`, () => this.#held.length >= count);
  }

  /** Writes to what is held, and goes on holding it. */
  write(piece: string): void {
    for (const res of this.#held) (res as { write(piece: string): void }).write(piece);
  }

  /** Answers what is held, the oldest first. */
  release(count = this.#held.length): void {
    for (const res of this.#held.splice(0, count)) (res as { end(body: string): void }).end("ok");
  }
}
