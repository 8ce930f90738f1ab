import { fixedWindow, RejectedError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { eventsOf, setStage } from "../stage";
import { expectAdmitted } from "../verdicts";
import { questionOf, usedOf } from "./attempts";

const limits = [fixedWindow({ max: 10, windowMs: 10_000 })];
const question = questionOf(limits);

describe("R090: with a refund for what failed, the limiter's own refusals", () => {
  it("neither charge nor refund: 10 served and 5 refused leave 10 used", async () => {
    const on = setStage();
    let refused = 0;
    for (let request = 0; request < 15; request += 1) {
      const verdict = await on.limiter.admit(question);
      if (verdict.admitted) await verdict.permit.release();
      else refused += 1;
    }
    expect(refused).toBe(5);
    expect(await usedOf(on, limits)).toEqual([10]);
    expect(eventsOf(on, "permit_closed").map(({ how }) => how)).toEqual(
      new Array(10).fill("released"),
    );
  });

  it("do neither with run, which refunds what throws", async () => {
    const on = setStage();
    for (let request = 0; request < 10; request += 1) await on.limiter.run(question, () => "ok");
    const served: string[] = [];
    for (let request = 0; request < 5; request += 1) {
      const asked = on.limiter.run(question, () => served.push("never"));
      await expect(asked).rejects.toThrow(RejectedError);
    }
    expect(served).toEqual([]);
    expect(await usedOf(on, limits)).toEqual([10]);
  });

  it("leave room for what was refunded, once each", async () => {
    const on = setStage();
    const failing = async () => {
      throw new Error("upstream failed");
    };
    for (let request = 0; request < 30; request += 1) {
      await expect(on.limiter.run(question, failing)).rejects.toThrow("upstream failed");
      expect(await usedOf(on, limits)).toEqual([0]);
    }
    expectAdmitted(await on.limiter.admit(question));
  });
});
