import { chatShot } from "../scenario/chat-shot";
import type { LoadClient } from "./load-client";

const DURATION_MS = 400;

/**
 * Uses a fresh gateway for a moment, so that what is measured is not the first compilation of its
 * code. Two clients, because every scenario's gate has room for two: nothing is refused.
 */
export async function warmUp(load: LoadClient, port: number): Promise<void> {
  const shot = chatShot({ key: "sk-large", latencyMs: 0 });
  await load.open(port, 2);
  await load.closedLoop({ shot, durationMs: DURATION_MS, pauseMs: 0 });
}
