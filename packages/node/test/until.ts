import { setTimeout as pause } from "node:timers/promises";

/**
 * Resolves when the condition holds; these tests wait for events of real sockets, not for time.
 *
 * @throws Error with the description if it does not hold within five seconds.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  boundMs = 5000,
): Promise<void> {
  const end = performance.now() + boundMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited ${boundMs} ms in vain until ${what}`);
    await pause(2);
  }
}
