import type { KeyWalk } from "../../key/key-walk";
import type { RedisSubject } from "../contender/subject";
import type { LoadResult } from "./load";

/** Asks without a pause for `durationMs`, with `inFlight` questions under way all the time. */
export async function closedLoop(
  subject: RedisSubject,
  walk: KeyWalk,
  { inFlight, durationMs }: { readonly inFlight: number; readonly durationMs: number },
): Promise<LoadResult> {
  let verdicts = 0;
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const lane = async () => {
    while (performance.now() - startMs < durationMs) {
      await subject.ask(walk.next());
      verdicts += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { verdicts, wallMs, clientMs: (user + system) / 1000 };
}
