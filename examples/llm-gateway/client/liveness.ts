import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection";
import type { Shot } from "./shot";

/** What is asked, and how often. */
export interface LivenessPlan {
  readonly path: string;
  readonly everyMs: number;
  readonly durationMs: number;
}

/** One answer to the question whether the server is alive. */
export interface LivenessSample {
  readonly status: number;
  readonly latencyMs: number;
}

/**
 * Asks on a fixed timetable, over one connection. A question that is late because the one before
 * it was not answered yet is timed from when it was due: a stall counts in full.
 */
export async function sampleLiveness(
  connection: Connection,
  plan: LivenessPlan,
): Promise<LivenessSample[]> {
  const shot: Shot = { method: "GET", path: plan.path };
  const samples: LivenessSample[] = [];
  const startedMs = performance.now();
  let previousEndedAtMs = 0;
  for (let dueAtMs = 0; dueAtMs < plan.durationMs; dueAtMs += plan.everyMs) {
    const waitMs = dueAtMs - (performance.now() - startedMs);
    if (waitMs > 0) await sleep(waitMs);
    const answer = await connection.send(shot, startedMs);
    const fromMs = previousEndedAtMs > dueAtMs ? dueAtMs : answer.sentAtMs;
    samples.push({ status: answer.status, latencyMs: answer.endedAtMs - fromMs });
    previousEndedAtMs = answer.endedAtMs;
  }
  return samples;
}
