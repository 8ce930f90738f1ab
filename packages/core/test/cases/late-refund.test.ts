import { fixedWindow, type Limit, slidingLog, slidingWindow } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { setStage } from "../stage";
import { expectAdmitted } from "../verdicts";
import { expectSwept, questionOf, statusesOf, usedOf } from "./attempts";

const MAX = 5;
const limits: readonly { readonly how: string; readonly limit: Limit }[] = [
  {
    how: "fixed window since the epoch",
    limit: fixedWindow({ max: MAX, windowMs: 1_000, anchor: "epoch" }),
  },
  {
    how: "fixed window since the first request",
    limit: fixedWindow({ max: MAX, windowMs: 1_000 }),
  },
  { how: "sliding window", limit: slidingWindow({ max: MAX, windowMs: 1_000 }) },
  { how: "sliding log", limit: slidingLog({ max: MAX, windowMs: 1_000 }) },
];

describe.each(limits)("R034: refunds on success with a $how", ({ limit }) => {
  it("admit exactly the limit again, whether the window charged has ended or not", async () => {
    const on = setStage();
    await on.clock.advanceAsync(900);
    const slow = [];
    for (let start = 0; start < MAX; start += 1) {
      slow.push(expectAdmitted(await on.limiter.admit(questionOf([limit]))));
    }
    await on.clock.advanceAsync(200);
    await Promise.all(slow.map((permit) => permit.refund()));
    expect(await usedOf(on, [limit])).toEqual([0]);
    await on.clock.advanceAsync(100);
    let admitted = 0;
    for (let hit = 0; hit < 10; hit += 1) {
      if ((await on.limiter.admit(questionOf([limit]))).admitted) admitted += 1;
    }
    expect(admitted).toBe(MAX);
    await on.limiter.close();
  });

  it("credit nothing to a window that was opened since", async () => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf([limit], "k", MAX)));
    await on.clock.advanceAsync(2_000);
    expectAdmitted(await on.limiter.admit(questionOf([limit], "k", 2)));
    const before = await statusesOf(on, [limit]);
    await permit.refund();
    expect(await statusesOf(on, [limit])).toEqual(before);
    expect(before).toMatchObject([{ used: 2 }]);
    await on.limiter.close();
  });

  it("make no key, and none that stays", async () => {
    const on = setStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf([limit])));
    await on.clock.runUntilIdle();
    expectSwept(on);
    await permit.refund();
    expectSwept(on);
    expect(on.clock.isIdle).toBe(true);
    await on.limiter.close();
  });
});

describe("R034: a refund within its window", () => {
  it("does not move the end of a window", async () => {
    const on = setStage();
    const limit = fixedWindow({ max: MAX, windowMs: 1_000 });
    const permit = expectAdmitted(await on.limiter.admit(questionOf([limit])));
    expectAdmitted(await on.limiter.admit(questionOf([limit])));
    await on.clock.advanceAsync(400);
    await permit.refund();
    expect(await statusesOf(on, [limit])).toMatchObject([{ used: 1, resetAfterMs: 600 }]);
    await on.limiter.close();
  });
});
