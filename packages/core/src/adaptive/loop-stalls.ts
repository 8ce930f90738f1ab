import type { CancelTimer, Clock } from "../clock/clock";
import { systemClock } from "../clock/system-clock";
import type { Milliseconds } from "../limit/limit";
import { Problems } from "../options/problems";
import { OptionsReader } from "../options/read";

/** Stalls that are remembered; older ones are forgotten. */
const MEMORY = 16;

/** What {@link loopStalls} takes. */
export interface LoopStallsOptions {
  /**
   * How often the loop is looked at, an integer of 1 or more. Smaller: shorter stalls are seen;
   * larger: fewer timers.
   *
   * @defaultValue 50
   */
  readonly everyMs?: Milliseconds;
  /**
   * How late a timer must be to count, an integer of 1 or more. Smaller: ordinary jitter is taken
   * for a stall.
   *
   * @defaultValue 20
   */
  readonly atLeastMs?: Milliseconds;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
}

/** Knows when the event loop of this process did not turn. */
export interface LoopStalls {
  /** How much of the time from `fromMs` to `toMs` the loop was stalled: 0 or more. */
  overlapMs(fromMs: Milliseconds, toMs: Milliseconds): Milliseconds;
  /** Notes a stall of `ms` that ends now, for those who measure by themselves. */
  note(ms: Milliseconds): void;
  /** Ends the timer. What was noted stays. */
  stop(): void;
}

/**
 * Notices stalls of the event loop by a timer that fires late. While the loop stalls, answers that
 * have arrived are not read, so their latency looks longer than it was: garbage collection and
 * large JSON read like an overloaded upstream. One of these serves any number of limits.
 *
 * @throws InvalidOptionsError listing every bad option.
 * @remarks The timer lets the process end. The last 16 stalls are remembered. All of a stall is
 * taken from a latency that overlaps it, also if the answer came after the stall: the error is then
 * on the side of a latency that is too small, by at most the stall.
 */
export function loopStalls(options: LoopStallsOptions = {}): LoopStalls {
  const problems = new Problems("loopStalls options");
  const read = new OptionsReader(options, ["everyMs", "atLeastMs", "clock"], problems);
  const everyMs = read.integer("everyMs", { min: 1, fallback: 50 });
  const atLeastMs = read.integer("atLeastMs", { min: 1, fallback: 20 });
  const clock = read.optionalPort<Clock>("clock", ["nowMs", "after"]) ?? systemClock();
  problems.throwIfAny();
  return new LateTimer(clock, everyMs, atLeastMs);
}

class LateTimer implements LoopStalls {
  readonly #clock: Clock;
  readonly #everyMs: Milliseconds;
  readonly #atLeastMs: Milliseconds;
  readonly #starts = new Float64Array(MEMORY);
  readonly #ends = new Float64Array(MEMORY);
  #next = 0;
  #cancel: CancelTimer;

  constructor(clock: Clock, everyMs: Milliseconds, atLeastMs: Milliseconds) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#atLeastMs = atLeastMs;
    this.#cancel = this.#wait();
  }

  overlapMs(fromMs: Milliseconds, toMs: Milliseconds): Milliseconds {
    let overlapMs = 0;
    for (let index = 0; index < MEMORY; index++) {
      const startMs = Math.max(fromMs, this.#starts[index] ?? 0);
      const endMs = Math.min(toMs, this.#ends[index] ?? 0);
      if (endMs > startMs) overlapMs += endMs - startMs;
    }
    return overlapMs;
  }

  note(ms: Milliseconds): void {
    if (!(ms > 0)) return;
    const endMs = this.#clock.nowMs();
    this.#starts[this.#next] = endMs - ms;
    this.#ends[this.#next] = endMs;
    this.#next = (this.#next + 1) % MEMORY;
  }

  stop(): void {
    this.#cancel();
  }

  #wait(): CancelTimer {
    const dueMs = this.#clock.nowMs() + this.#everyMs;
    return this.#clock.after(this.#everyMs, () => {
      const lateMs = this.#clock.nowMs() - dueMs;
      if (lateMs >= this.#atLeastMs) this.note(lateMs);
      this.#cancel = this.#wait();
    });
  }
}
