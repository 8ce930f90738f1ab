import type { Milliseconds } from "../limit/limit";
import type { Random } from "../random/random";
import type { Reason } from "../verdict/verdict";

/** How refused clients are told to wait. */
export interface RetryHintConfig {
  readonly retryAfter: "fixed" | "drain-rate";
  readonly retryAfterMs: Milliseconds;
  readonly retryAfterMaxMs: Milliseconds;
  readonly random: Random;
}

/**
 * What a refused client is told to wait: a fixed time, or what a newcomer at the end of the queue
 * would wait at the present rate, at least `retryAfterMs` and at most `retryAfterMaxMs`. That is
 * stretched by 0 to 50 %, drawn for each, because clients that were refused together and told the
 * same come back together.
 */
export function retryHintMs(
  config: RetryHintConfig,
  reason: Reason,
  predictedWaitMs: () => number,
): Milliseconds {
  const { retryAfter, retryAfterMs, retryAfterMaxMs, random } = config;
  // A gate that drains will not be less busy later: another process has to answer, at any time.
  if (retryAfter === "fixed" || reason === "draining") return retryAfterMs;
  const waitMs = Math.max(retryAfterMs, predictedWaitMs());
  return Math.min(retryAfterMaxMs, Math.ceil(waitMs * (1 + random.next() / 2)));
}
