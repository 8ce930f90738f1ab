import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection";
import type { Answer, Shot } from "./shot";

/** Sends every shot at its time on its own open connection; answers in the order of the shots. */
export function burst(
  connections: readonly Connection[],
  shots: readonly Shot[],
): Promise<Answer[]> {
  if (shots.length > connections.length) {
    throw new Error(`${shots.length} shots need as many open connections`);
  }
  const startedMs = performance.now();
  return Promise.all(
    shots.map(async (shot, index) => {
      const connection = connections[index] as Connection;
      if (shot.atMs !== undefined) await sleep(shot.atMs);
      return connection.send(shot, startedMs);
    }),
  );
}
