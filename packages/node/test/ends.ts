import type { Outcome } from "@sluice/core";
import type { NodeRequest, NodeResponse } from "../src/message";
import { whenResponseEnds } from "../src/response-end";
import { until } from "./until";

/** Follows responses and notes every end by the path of the request. */
export class Ends {
  readonly #ends: { readonly path: string; readonly outcome: Outcome }[] = [];
  #inFlight = 0;

  /** Responses that have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  follow(req: NodeRequest, res: NodeResponse): void {
    const path = req.url ?? "";
    this.#inFlight += 1;
    const note = (outcome: Outcome) => {
      this.#inFlight -= 1;
      this.#ends.push({ path, outcome });
    };
    whenResponseEnds(res, note);
  }

  /** All ends of a path so far; more than one for one request is a fault. */
  of(path: string): readonly Outcome[] {
    return this.#ends.filter((end) => end.path === path).map((end) => end.outcome);
  }

  get all(): readonly Outcome[] {
    return this.#ends.map((end) => end.outcome);
  }

  untilOver(path: string): Promise<void> {
    return until(`the response to ${path} is over`, () => this.of(path).length > 0);
  }
}
