import { Problems } from "../options/problems";
import type { CancelTimer, Clock, TimerOptions } from "./clock";

/** The longest delay that the runtime's timers take; anything above fires after 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

let shared: Clock | undefined;

/**
 * The clock of this process: integer Unix-epoch milliseconds, read from the wall when the first
 * caller asks for a clock and from then on moved by the monotonic clock only. Every call returns
 * the same clock, so that limiter, gate and store agree. A wall clock that is set while the process
 * runs is not followed.
 *
 * Its `after` calls back once, never before `nowMs` has advanced by `delayMs`, however long that
 * is; fractions count. `Infinity` never fires and keeps no process alive. `after` throws
 * InvalidOptionsError if `delayMs` is negative or not a number; nothing else here throws.
 *
 * @remarks The wall is read once because a limiter that follows it forgets its windows when it is
 * set forward and stretches them when it is set back. Timers look at the clock themselves when they
 * wake, because the runtime counts whole milliseconds of its own and wakes them up to 1 ms early.
 */
export function systemClock(): Clock {
  shared ??= anchoredClock(Date.now() - performance.now());
  return shared;
}

/** `originMs` is the wall-clock instant at which the monotonic clock showed 0. */
function anchoredClock(originMs: number): Clock {
  const nowMs = () => Math.floor(originMs + performance.now());

  const after = (delayMs: number, fn: () => void, options?: TimerOptions): CancelTimer => {
    requireDelay(delayMs);
    if (delayMs === Number.POSITIVE_INFINITY) return neverFires;
    const keepsProcessAlive = options?.keepsProcessAlive ?? false;
    // The same sum as in nowMs: a caller that compares the two instants sees the whole delay.
    const dueAt = originMs + performance.now() + delayMs;
    let timer: ReturnType<typeof setTimeout>;
    const arm = (leftMs: number) => {
      timer = setTimeout(wake, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS));
      // Outside Node.js a timer is a number, and nothing keeps a process alive.
      if (!keepsProcessAlive) (timer as { unref?: () => void }).unref?.();
    };
    const wake = () => {
      const leftMs = dueAt - (originMs + performance.now());
      if (leftMs > 0) arm(leftMs);
      else fn();
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  };

  return Object.freeze({ nowMs, after });
}

function neverFires(): void {}

/** The runtime itself would take NaN and negative delays for 1 ms. */
function requireDelay(delayMs: unknown): void {
  if (typeof delayMs === "number" && delayMs >= 0) return;
  const problems = new Problems("timer");
  problems.add("delayMs", "a number of 0 or more (Infinity never fires)", delayMs);
  problems.throwIfAny();
}
