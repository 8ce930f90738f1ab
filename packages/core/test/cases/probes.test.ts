import { fixedWindow, tokenBucket } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage, startsMs } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { questionOf, usedOf } from "./attempts";

// The probes about keys that every object has stand in key-identity.test.ts.

describe.each(startsMs)("probe: ten refills of a tenth, from instant %d", (startMs) => {
  it.each([
    { refill: 1, perMs: 1_000, stepMs: 100 },
    { refill: 1, perMs: 10, stepMs: 1 },
    { refill: 7, perMs: 700, stepMs: 10 },
    { refill: 3, perMs: 30_000_000, stepMs: 1_000_000 },
  ])("make exactly one token: $refill per $perMs ms", async ({ refill, perMs, stepMs }) => {
    const on = setStage({ startMs });
    const limits = [tokenBucket({ capacity: 5, refill, perMs })];
    expectAdmitted(await on.limiter.admit(questionOf(limits, "k", 5)));
    for (let step = 0; step < 10; step += 1) {
      const rejection = expectRejected(await on.limiter.admit(questionOf(limits)));
      expect(rejection.retryAfterMs).toBe((10 - step) * stepMs);
      await on.clock.advanceAsync(stepMs);
    }
    expectAdmitted(await on.limiter.admit(questionOf(limits)));
    expectRejected(await on.limiter.admit(questionOf(limits)), "window_exhausted");
  });

  it("make exactly one token although the bucket is written at each of them", async () => {
    const on = setStage({ startMs });
    const limits = [tokenBucket({ capacity: 10, refill: 1, perMs: 1_000 })];
    expectAdmitted(await on.limiter.admit(questionOf(limits, "k", 8)));
    for (let step = 1; step <= 10; step += 1) {
      await on.clock.advanceAsync(100);
      const permit = expectAdmitted(await on.limiter.admit(questionOf(limits)));
      await permit.refund();
      expect(await usedOf(on, limits)).toEqual([step < 10 ? 8 : 7]);
    }
  });
});

describe("probe: a limit of 2 over ids that look like nothing", () => {
  it.each(["undefined", "null", "NaN", "[object Object]", "0", "false", " "])(
    "admits, admits and rejects for the text %j",
    async (id) => {
      const on = setStage();
      const limits = [fixedWindow({ max: 2, windowMs: 1_000 })];
      expectAdmitted(await on.limiter.admit(questionOf(limits, id)));
      expectAdmitted(await on.limiter.admit(questionOf(limits, id)));
      expectRejected(await on.limiter.admit(questionOf(limits, id)), "window_exhausted");
    },
  );
});
