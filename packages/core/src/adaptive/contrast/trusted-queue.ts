import type { Milliseconds } from "../../limit/limit";
import type { Spread } from "./spread";

/** What was seen near a limit. */
export interface SeenNear {
  /** Latency per request in flight: as long as there is a queue, it is the same at any limit. */
  readonly slotMs: Milliseconds;
  /** Of so many samples. */
  readonly count: number;
}

/** What was seen near the limit when a lower one was last found right, and that limit. */
export interface TrustedQueue extends SeenNear {
  readonly limit: number;
}

/**
 * Whether what is seen now differs from that by more than a quarter and than chance explains. What
 * was found is then about another server.
 */
export function hasChanged(now: SeenNear, trusted: TrustedQueue, spread: Spread): boolean {
  const error = spread.errorOf(Math.min(now.count, trusted.count));
  return Math.abs(Math.log(now.slotMs / trusted.slotMs)) > Math.max(0.25, 2 * error);
}
