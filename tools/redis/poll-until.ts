import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 10;

export interface PollOptions {
  /** Part of the error: "the replica is attached". */
  readonly what: string;
  /** Milliseconds. @default 15_000 */
  readonly timeoutMs?: number;
}

/**
 * Asks every 10 ms until the answer is neither undefined nor false, and resolves to it. A question
 * that fails counts as unanswered.
 *
 * @throws Error after `timeoutMs`, with what was waited for and the last failure.
 */
export async function pollUntil<T>(
  ask: () => T | false | undefined | Promise<T | false | undefined>,
  { what, timeoutMs = 15_000 }: PollOptions,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  let failure: unknown;
  do {
    try {
      const answer = await ask();
      failure = undefined;
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      failure = error;
    }
    await sleep(PAUSE_MS);
  } while (performance.now() < endMs);
  throw new Error(`expected within ${timeoutMs} ms that ${what}`, { cause: failure });
}
