/** One pending call of a fake clock. */
export interface PendingTimer {
  /** Elapsed milliseconds of its clock at which it is due. */
  readonly dueAtMs: number;
  /** Its place among all timers of its clock in the order of creation. */
  readonly sequence: number;
  readonly keepsProcessAlive: boolean;
  readonly fn: () => void;
}

/**
 * Pending timers in the order in which they run: by due time, then by creation. A sorted array,
 * since new timers mostly belong at its end and the next one is taken from its front.
 */
export class TimerQueue {
  readonly #timers: PendingTimer[] = [];
  #keepAliveCount = 0;

  get size(): number {
    return this.#timers.length;
  }

  /** How many of the pending timers would keep a process alive. */
  get keepAliveCount(): number {
    return this.#keepAliveCount;
  }

  /** The timer that runs next, if any. */
  get next(): PendingTimer | undefined {
    return this.#timers[0];
  }

  add(timer: PendingTimer): void {
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    if (timer.keepsProcessAlive) this.#keepAliveCount += 1;
  }

  /** Takes a timer out. A timer that is not pending any more is left alone. */
  remove(timer: PendingTimer): void {
    const place = this.#placeOf(timer);
    if (this.#timers[place] !== timer) return;
    if (place === 0) this.#timers.shift();
    else this.#timers.splice(place, 1);
    if (timer.keepsProcessAlive) this.#keepAliveCount -= 1;
  }

  /** The index of the first timer that does not run before `timer`. */
  #placeOf(timer: PendingTimer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      if (other !== undefined && runsBefore(other, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function runsBefore(a: PendingTimer, b: PendingTimer): boolean {
  return a.dueAtMs === b.dueAtMs ? a.sequence < b.sequence : a.dueAtMs < b.dueAtMs;
}
