import { setTimeout as pause } from "node:timers/promises";

/**
 * Resolves when the condition holds: cases wait for events of real sockets, never for time.
 *
 * @throws Error with the description if it does not hold within ten seconds.
 */
export async function until(what: string, holds: () => boolean, boundMs = 10_000): Promise<void> {
  const end = performance.now() + boundMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Waited ${boundMs} ms in vain until ${what}`);
    await pause(2);
  }
}

/**
 * The promise's value.
 *
 * @throws Error with the description if the promise is not settled within fifteen seconds.
 */
export async function within<T>(what: string, promise: Promise<T>, boundMs = 15_000): Promise<T> {
  const stop = new AbortController();
  const late = pause(boundMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`Waited ${boundMs} ms in vain for ${what}`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop.abort();
  }
}
