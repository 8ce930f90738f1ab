import { chatShot } from "../scenario/chat-shot";
import type { LoadClient } from "./load-client";

const DURATION_MS = 300;

/**
 * Uses a fresh gateway for a moment, served and refused, so that what is measured is not the first
 * compilation of its code. Two clients, because every scenario's gate has room for two: none of
 * them is refused there, where refusals are counted.
 */
export async function warmUp(load: LoadClient, port: number): Promise<void> {
  const small = chatShot({ key: "sk-large", latencyMs: 0, maxTokens: 10 });
  const tooLarge = chatShot({ key: "sk-large", latencyMs: 0, maxTokens: 1_000_000 });
  await load.open(port, 2);
  await load.closedLoop({ shot: small, durationMs: DURATION_MS, pauseMs: 0 });
  await load.closedLoop({ shot: tooLarge, durationMs: DURATION_MS, pauseMs: 0 });
}
