import { openSync, readSync } from "node:fs";

/** How long something took. */
export interface Lap {
  /** On the wall. */
  readonly wallMs: number;
  /** Without the time in which this thread was ready to run but other processes had the cores. */
  readonly ownMs: number;
}

interface Instant {
  readonly wallMs: number;
  readonly waitedMs: number;
}

const BUFFER = Buffer.alloc(96);

/** Reading both counters takes a few microseconds if nothing comes between. */
const UNDISTURBED_MS = 0.05;
const TRIES = 10;

/**
 * Measures wall time, and how much of it this thread spent waiting for a core. The latter is what
 * Linux counts per thread (second number of `schedstat`); elsewhere it counts as 0. Call it on the
 * main thread.
 *
 * @remarks On a machine that others use too, wall time tells how busy they are.
 */
export class Stopwatch {
  readonly #file = openSchedulerCounters();
  #start: Instant = { wallMs: 0, waitedMs: 0 };

  start(): void {
    this.#start = this.#now();
  }

  /** The time since `start`. */
  lap(): Lap {
    const now = this.#now();
    const wallMs = now.wallMs - this.#start.wallMs;
    return { wallMs, ownMs: Math.max(0, wallMs - (now.waitedMs - this.#start.waitedMs)) };
  }

  /** Both counters at one instant: again if this thread lost its core between the two. */
  #now(): Instant {
    for (let left = TRIES; ; left -= 1) {
      const before = performance.now();
      const waitedMs = this.#readWaitedMs();
      const wallMs = performance.now();
      if (wallMs - before < UNDISTURBED_MS || left === 0) return { wallMs, waitedMs };
    }
  }

  #readWaitedMs(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, BUFFER, 0, BUFFER.length, 0);
    return Number(BUFFER.toString("latin1", 0, length).split(" ")[1]) / 1e6;
  }
}

function openSchedulerCounters(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    return undefined;
  }
}
