const BEAT_MS = 5;
/** Timers of Node.js are up to this late by themselves. */
const ROUNDING_MS = 2;

interface Stall {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Notices when the event loop stood still, as it does on a machine that is busy with other things:
 * what was late by that much was not late by anything that was tested.
 */
export class LoopProbe {
  readonly #stalls: Stall[] = [];
  #beatMs = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  /** For how long it stood still between two instants of `performance.now()`. */
  stalledMs(fromMs: number, toMs: number): number {
    let sum = 0;
    for (const stall of this.#stalls) {
      sum += Math.max(0, Math.min(toMs, stall.toMs) - Math.max(fromMs, stall.fromMs));
    }
    return sum;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#beat();
  }

  #beat(): void {
    const nowMs = performance.now();
    const dueMs = this.#beatMs + BEAT_MS + ROUNDING_MS;
    if (nowMs > dueMs) this.#stalls.push({ fromMs: dueMs, toMs: nowMs });
    this.#beatMs = nowMs;
  }
}
