import { concurrency, type LimiterPermit } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage, startsMs } from "../stage";
import { setFaultyStage } from "../store/faulty-stage";
import { expectAdmitted } from "../verdicts";
import { questionOf, usedOf } from "./attempts";

const slots = [concurrency({ max: 2, leaseMs: 10_000 })];

describe.each(startsMs)("a slot that nobody gives back, from instant %d", (startMs) => {
  it("R017: of a killed holder is back within its lease under living traffic", async () => {
    const on = setStage({ startMs });
    const x = on.openProcess();
    expectAdmitted(await x.admit(questionOf(slots)));
    // A limiter that is closed renews nothing any more, like a process that was killed.
    await x.close();
    const capacities: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      const taken: LimiterPermit[] = [];
      for (;;) {
        const verdict = await on.limiter.admit(questionOf(slots));
        if (!verdict.admitted) break;
        taken.push(verdict.permit);
      }
      capacities.push(taken.length);
      for (const permit of taken) await permit.release();
      await on.clock.advanceAsync(1_000);
    }
    expect(capacities).toEqual([...new Array(10).fill(1), ...new Array(50).fill(2)]);
    await on.limiter.close();
  });

  it("R017: whose release is lost is back within its lease under living traffic", async () => {
    const { clock, faulty, limiter } = setFaultyStage({ startMs });
    const lost = expectAdmitted(await limiter.admit(questionOf(slots)));
    faulty.failNext("release", {}, 1_000);
    await lost.release();
    for (let second = 0; second < 10; second += 1) {
      expect(await usedOf({ limiter }, slots)).toEqual([1]);
      const busy = expectAdmitted(await limiter.admit(questionOf(slots)));
      await clock.advanceAsync(1_000);
      // Closed by a settle, so that this slot is given back while releases fail.
      await busy.refund();
    }
    expect(await usedOf({ limiter }, slots)).toEqual([0]);
    await clock.advanceAsync(20_000);
    const calls = faulty.callsOf("release").length;
    expect(calls).toBeGreaterThan(1);
    await clock.advanceAsync(600_000);
    expect(faulty.callsOf("release")).toHaveLength(calls);
    await limiter.close();
  });
});
