import { CallFailure } from "../../../src/redis/executor/call-failure";
import { addOne } from "./scripts";
import { outcomeOf, pause, type Stage } from "./stage";

/** After so long without a success trouble is reported, as a store does. */
const TROUBLE_MS = 1_500;
const RECOVERY_MAX_MS = 20_000;

/** Calls until one succeeds after the first failure; resolves to how long that took. */
export async function recoveryOf(stage: Stage, key: string): Promise<number> {
  const startMs = performance.now();
  let hasFailed = false;
  let lastSuccessMs = startMs;
  while (performance.now() < startMs + RECOVERY_MAX_MS) {
    const outcome = await outcomeOf(stage, addOne(key), 100);
    const isSuccess = !(outcome instanceof CallFailure) && outcome !== "no reply";
    if (isSuccess && hasFailed) return performance.now() - startMs;
    if (isSuccess) lastSuccessMs = performance.now();
    else hasFailed = true;
    if (performance.now() - lastSuccessMs > TROUBLE_MS) stage.executor.reportTrouble();
    await pause(10);
  }
  throw new Error(`expected a recovery within ${RECOVERY_MAX_MS} ms`);
}
