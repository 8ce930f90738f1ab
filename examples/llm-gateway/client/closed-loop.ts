import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection";
import type { Answer, Shot } from "./shot";

/** What the clients of a closed loop do. */
export interface ClosedLoopPlan {
  readonly shot: Shot;
  /** Nobody asks again after this; what is under way is answered. */
  readonly durationMs: number;
  /** How long a client waits before it asks again after a refusal. */
  readonly pauseMs: number;
}

/** What they got. */
export interface ClosedLoopResult {
  readonly served: readonly Answer[];
  /** Answers other than 200, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** One refusal of each status, to look at. */
  readonly refusals: readonly Answer[];
}

/** Every connection is a client that asks, waits for the answer, and asks again. */
export async function closedLoop(
  connections: readonly Connection[],
  plan: ClosedLoopPlan,
): Promise<ClosedLoopResult> {
  const startedMs = performance.now();
  const served: Answer[] = [];
  const refused: Record<string, number> = {};
  const refusals: Answer[] = [];

  async function client(connection: Connection): Promise<void> {
    while (performance.now() - startedMs < plan.durationMs) {
      const answer = await connection.send(plan.shot, startedMs);
      if (answer.status === 200) {
        served.push(answer);
        continue;
      }
      const status = String(answer.status);
      if (refused[status] === undefined) refusals.push(answer);
      refused[status] = (refused[status] ?? 0) + 1;
      await sleep(plan.pauseMs);
    }
  }

  await Promise.all(connections.map(client));
  return { served, refused, refusals };
}
