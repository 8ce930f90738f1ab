import type { CheckLimit, Milliseconds } from "../../limit/limit";
import type { Told } from "./last-told";
import type { LocalLimits } from "./local-limits";

/** Units that a limit's local state starts with, and the instant at which they count as charged. */
export interface Seed {
  readonly units: number;
  readonly atMs: Milliseconds;
}

/**
 * Where the local part of a limit starts: at this process's part of what was left when the store
 * was heard last, charged so early that it ends when the store's own window does. `undefined` if it
 * starts empty, because nothing is known or what is known is over.
 */
export function seedOf(
  limit: CheckLimit,
  limits: LocalLimits,
  told: Told | undefined,
  nowMs: Milliseconds,
): Seed | undefined {
  if (told === undefined) return undefined;
  const { used, resetAfterMs, atMs } = told;
  const resetMs = atMs + resetAfterMs;
  if (resetMs <= nowMs) return undefined;
  const max = limits.maxOf(limit);
  const left = limit.max - used;
  const taken = max - Math.min(max, limits.share(Math.max(0, left)));
  // Debt is divided like anything else.
  const units = left < 0 ? Math.max(taken, Math.ceil(used / limits.instances)) : taken;
  if (units <= 0) return undefined;
  return { units, atMs: Math.min(nowMs, Math.max(0, chargeMs(limit, resetMs, atMs, nowMs))) };
}

/** When something must have been charged to be over at `resetMs`. */
function chargeMs(
  limit: CheckLimit,
  resetMs: Milliseconds,
  toldMs: Milliseconds,
  nowMs: Milliseconds,
): Milliseconds {
  switch (limit.kind) {
    case "fixed-window":
      // Where an aligned window ends does not depend on when it was opened, and the clocks of two
      // machines may not agree about its very beginning.
      return limit.anchor === "epoch" ? nowMs : resetMs - limit.windowMs;
    case "sliding-window":
      return resetMs - limit.windowMs - limit.windowMs / limit.buckets;
    case "sliding-log":
    case "pool-unit":
      return resetMs - limit.windowMs;
    case "token-bucket":
    case "concurrency":
      return toldMs;
  }
}
