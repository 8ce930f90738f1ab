import { createHistogram } from "node:perf_hooks";
import type { LoadConnection } from "./load-connection";
import type { LoadResult } from "./load-result";

/** The beginning of a round, which is not counted. */
const LEAD_IN_MS = 60;

/** Every connection sends its next request as soon as the last one is answered, for `roundMs`. */
export async function closedLoop(
  connections: readonly LoadConnection[],
  nextRequest: () => Buffer,
  roundMs: number,
): Promise<LoadResult> {
  const latencyUs = createHistogram();
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const countFromMs = startMs + LEAD_IN_MS;
  const endMs = startMs + roundMs;
  let requests = 0;
  let refusals = 0;
  await Promise.all(
    connections.map(
      (connection) =>
        new Promise<void>((resolve) => {
          let sentMs = 0;
          const send = () => {
            sentMs = performance.now();
            connection.send(nextRequest(), onAnswer);
          };
          const onAnswer = (isRefusal: boolean) => {
            const nowMs = performance.now();
            requests += 1;
            if (isRefusal) refusals += 1;
            if (sentMs >= countFromMs && nowMs <= endMs) {
              latencyUs.record(Math.max(1, Math.round((nowMs - sentMs) * 1000)));
            }
            if (nowMs < endMs) send();
            else resolve();
          };
          send();
        }),
    ),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requestsPerSecond: (latencyUs.count * 1000) / (roundMs - LEAD_IN_MS),
    p50Ms: latencyUs.percentile(50) / 1000,
    p99Ms: latencyUs.percentile(99) / 1000,
    clientBusy: (user + system) / 1000 / (performance.now() - startMs),
    requests,
    refusals,
  };
}
