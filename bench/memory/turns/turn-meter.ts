import { createHistogram, PerformanceObserver } from "node:perf_hooks";
import { Stopwatch } from "../../process/stopwatch";

/** How long turns of the event loop took. */
export interface TurnLengths {
  readonly turns: number;
  /** Without waiting for a core that other processes had; see Stopwatch. */
  readonly longestMs: number;
  readonly medianMs: number;
  /** The longest on the wall. */
  readonly longestWallMs: number;
  /**
   * The longest pause for garbage collection, on the wall; it is part of the turn it falls into.
   */
  readonly longestCollectionMs: number;
}

/**
 * Measures whole turns of the event loop, from one `setImmediate` to the next: the work given to
 * it, and whatever timers and collections come between.
 */
export class TurnMeter {
  readonly #stopwatch = new Stopwatch();
  readonly #ownNs = createHistogram();
  #longestWallMs = 0;
  #longestCollectionMs = 0;

  /** Runs `work` once per turn until it says that it is done. */
  async measure(work: () => Promise<"again" | "done">): Promise<TurnLengths> {
    const observer = new PerformanceObserver((list) => {
      const pauses = list.getEntries().map(({ duration }) => duration);
      this.#longestCollectionMs = Math.max(this.#longestCollectionMs, ...pauses);
    });
    observer.observe({ entryTypes: ["gc"] });
    await nextTurn();
    this.#stopwatch.start();
    while ((await work()) === "again") {
      await nextTurn();
      this.#endTurn();
    }
    observer.disconnect();
    return {
      turns: this.#ownNs.count,
      longestMs: this.#ownNs.max / 1e6,
      medianMs: this.#ownNs.percentile(50) / 1e6,
      longestWallMs: this.#longestWallMs,
      longestCollectionMs: this.#longestCollectionMs,
    };
  }

  #endTurn(): void {
    const { ownMs, wallMs } = this.#stopwatch.lap();
    this.#ownNs.record(Math.max(1, Math.round(ownMs * 1e6)));
    this.#longestWallMs = Math.max(this.#longestWallMs, wallMs);
    this.#stopwatch.start();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
