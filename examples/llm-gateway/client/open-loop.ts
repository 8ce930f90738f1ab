import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection";
import { durationMs, type Shot } from "./shot";

/** Requests that arrive whether or not earlier ones have been answered. */
export interface OpenLoopPlan {
  /** Sent in turn. */
  readonly shots: readonly Shot[];
  /** When each request arrives, in milliseconds after the start, in order. */
  readonly arrivalsMs: readonly number[];
}

/** One request, and how it was answered. */
export interface Arrival {
  readonly atMs: number;
  /** Which of the shots it was. */
  readonly shot: number;
  /** 0 if the connection broke. */
  readonly status: number;
  readonly durationMs: number;
}

/**
 * Sends every request at its time, on a connection that nobody uses.
 *
 * @throws Error if there is none: a request that waits for a connection would not be measured.
 */
export async function openLoop(
  connections: readonly Connection[],
  { shots, arrivalsMs }: OpenLoopPlan,
): Promise<Arrival[]> {
  const free = [...connections];
  const startedMs = performance.now();
  const answers: Promise<Arrival>[] = [];
  for (const [index, atMs] of arrivalsMs.entries()) {
    const aheadMs = atMs - (performance.now() - startedMs);
    if (aheadMs > 1) await sleep(aheadMs);
    const connection = free.pop();
    if (connection === undefined) {
      throw new Error(`${connections.length} connections are too few`);
    }
    const shot = index % shots.length;
    const answer = connection.send(shots[shot] as Shot, startedMs).then((answered) => {
      free.push(connection);
      return { atMs, shot, status: answered.status, durationMs: durationMs(answered) };
    });
    answers.push(answer);
  }
  return Promise.all(answers);
}
