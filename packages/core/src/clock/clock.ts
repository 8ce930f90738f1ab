/** Cancels a pending timer. Calling it again, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/** How a timer relates to the life of the process. */
export interface TimerOptions {
  /**
   * Whether the pending timer keeps the process alive.
   *
   * @defaultValue false: housekeeping (renewals, sweeping) must not hold a process open. A caller
   * that waits in a queue sets it, because its time-out has to fire.
   */
  readonly keepsProcessAlive?: boolean;
}

/**
 * The port through which the process reads time and waits: queues, samples, renewals and the memory
 * store. Nothing else in the core reads time.
 *
 * @remarks A shared store owns its own "now"; this clock never decides there.
 */
export interface Clock {
  /** Integer Unix-epoch milliseconds that never go backwards. Instant 0 is legal. */
  nowMs(): number;
  /**
   * Calls `fn` once, not before `delayMs` milliseconds have passed (0 or more, any finite size:
   * delays beyond 2 147 483 647 ms do not overflow; `Infinity` never fires).
   */
  after(delayMs: number, fn: () => void, options?: TimerOptions): CancelTimer;
}
