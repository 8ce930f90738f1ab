import type { Recorder, SluiceEvent, VerdictSource } from "@sluice/core";

/** How many verdicts came from where: the store, this process by itself, a fixed policy. */
export type DecidedCounts = Readonly<Record<VerdictSource, number>>;

/** Counts the verdicts of a limiter by who gave them. */
export class DecidedBy implements Recorder {
  readonly #counts: Record<VerdictSource, number> = { store: 0, local: 0, policy: 0 };

  get counts(): DecidedCounts {
    return this.#counts;
  }

  record(event: SluiceEvent): void {
    if (event.type === "verdict") this.#counts[event.source] += 1;
  }
}
