import { createGate, type GatePermit } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { SettableLimit } from "../settable-limit";

/** 1 000 000 with `PROPERTY_RUNS_SCALE=50`; in fewer than these some reasons do not occur. */
const jobs = Math.max(20_000, runs(20_000).numRuns);

describe(`${jobs} random jobs with cancellations`, () => {
  it("end with nobody queued, nobody in flight, and every promise settled once", async () => {
    const random = seededRandom(4);
    const upTo = (count: number) => Math.floor(random.next() * count);
    const clock = new FakeClock();
    const limit = new SettableLimit(8);
    const gate = createGate({
      maxInFlight: limit,
      queue: { max: 40, timeoutMs: 30 },
      classes: { a: { weight: 3, reserved: 2, rank: 1 }, b: { rank: 1 }, c: {} },
      clock,
    });
    const names = ["a", "b", "c"] as const;
    let [settled, twice, late] = [0, 0, 0];
    const hold = (permit: GatePermit) => {
      if (permit.waitedMs >= 30) late += 1;
      if (upTo(4) === 0) permit.firstByte();
      clock.after(upTo(12), () => {
        permit.end((["success", "dropped", "ignored"] as const)[upTo(3)]);
        if (upTo(8) === 0) permit.end();
      });
    };
    for (let job = 0; job < jobs; job++) {
      const controller = new AbortController();
      let settlements = 0;
      const { signal } = controller;
      const name = names[upTo(3)] ?? "c";
      void gate.enter({ class: name, fairnessKey: `${upTo(5)}`, signal }).then((verdict) => {
        settlements += 1;
        settled += 1;
        if (settlements > 1) twice += 1;
        if (verdict.admitted) hold(verdict.permit);
      });
      if (upTo(5) === 0) clock.after(upTo(20), () => controller.abort());
      if (upTo(50) === 0) limit.set(1 + upTo(16));
      if (upTo(2) === 0) clock.advance(upTo(3));
      if (upTo(4) === 0) await undefined;
    }
    limit.set(8);
    await clock.runUntilIdle();
    const { inFlight, queued, admitted, rejected, rejectedByReason } = gate.stats();
    expect({ inFlight, queued, settled, twice, late }).toEqual({
      inFlight: 0,
      queued: 0,
      settled: jobs,
      twice: 0,
      late: 0,
    });
    expect(admitted + rejected).toBe(jobs);
    const reasons = ["aborted", "evicted", "queue_full", "queue_timeout"];
    expect(Object.keys(rejectedByReason)).toEqual(expect.arrayContaining(reasons));
  }, 600_000);
});
