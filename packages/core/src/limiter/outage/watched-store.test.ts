import { describe, expect, it } from "vitest";
import { eventsOf, setStage } from "../../../test/stage";
import { setFaultyStage } from "../../../test/store/faulty-stage";
import { FaultyStore } from "../../../test/store/faulty-store";
import { openStore } from "../../../test/store/store-under-test";
import { expectAdmitted } from "../../../test/verdicts";
import type { Clock } from "../../clock/clock";
import { systemClock } from "../../clock/system-clock";
import { fixedWindow } from "../../limit/fixed-window";
import { createLimiter } from "../create-limiter";

const limits = [fixedWindow({ unit: "tokens", max: 10, windowMs: 60_000 })];
const question = { descriptors: [{ kind: "user", id: "ada", limits }], cost: { tokens: 2 } };

describe("A call of a shared store", () => {
  it("is told with its operation and the time it took", async () => {
    const stage = setFaultyStage();
    const answer = stage.faulty.holdAnswers("admit");
    const asked = stage.limiter.admit(question);
    await stage.clock.advanceAsync(7);
    answer();
    const permit = expectAdmitted(await asked);
    await permit.settle({ tokens: 1 });
    expect(eventsOf(stage, "store_called")).toEqual([
      { type: "store_called", operation: "admit", tookMs: 7, failed: false },
      { type: "store_called", operation: "settle", tookMs: 0, failed: false },
    ]);
    await stage.limiter.close();
  });

  it("is told also if it fails, once, beside the failure", async () => {
    const stage = setFaultyStage({ onStoreUnavailable: "reject" });
    stage.faulty.failNext("admit");
    await stage.limiter.admit(question);
    expect(eventsOf(stage, "store_called")).toEqual([
      { type: "store_called", operation: "admit", tookMs: 0, failed: true },
    ]);
    expect(eventsOf(stage, "store_failed")).toHaveLength(1);
    await stage.limiter.close();
  });

  it("costs no look at the clock when nobody listens", async () => {
    let looks = 0;
    const system = systemClock();
    const clock: Clock = {
      nowMs: () => {
        looks += 1;
        return system.nowMs();
      },
      after: (ms, fn, options) => system.after(ms, fn, options),
    };
    const looksWith = async (listening: boolean) => {
      const store = new FaultyStore(() => openStore({}));
      const recorder = { record: () => {} };
      const limiter = createLimiter({ store, clock, ...(listening && { recorder }) });
      looks = 0;
      await limiter.peek(question);
      const seen = looks;
      await limiter.close();
      return seen;
    };
    const silent = await looksWith(false);
    expect(await looksWith(true)).toBe(silent + 2);
  });
});

it("A call of a store in this process is not told", async () => {
  const stage = setStage();
  expectAdmitted(await stage.limiter.admit(question));
  expect(eventsOf(stage, "store_called")).toEqual([]);
});
