import { describe, expect, it } from "vitest";
import { Meter } from "./meter";
import { summaryOf } from "./phase-summary";

const levels = [10, 20, 30].map((limit) => ({ limit, inFlight: limit / 2, busy: 1 }));

/** A meter of three seconds. */
function filledMeter(): Meter {
  const meter = new Meter(3_000);
  const note = (atMs: number, ...what: Parameters<Meter["count"]>[0][]) => {
    for (const each of what) meter.count(each, atMs);
  };
  note(500, "requests", "attempts", "rejected");
  note(1_000, "requests", "attempts", "started");
  note(1_500, "requests", "attempts", "started");
  note(1_999, "attempts", "rejected", "failed");
  note(2_000, "completed");
  note(2_999, "completed", "timedOut");
  meter.latencies.add(2_000, 100);
  meter.latencies.add(2_999, 300);
  return meter;
}

describe("summaryOf", () => {
  it("counts what happened from the start of the phase up to, not at, its end", () => {
    const recorded = { meter: filledMeter(), levels, durationMs: 3_000 };
    const middle = summaryOf({ name: "middle", fromMs: 1_000, toMs: 2_000 }, recorded);
    expect(middle).toMatchObject({
      phase: "middle",
      meanLimit: 20,
      meanInFlight: 10,
      offered: 2,
      attempted: 3,
      started: 2,
      rejected: 1,
      rejectedShare: 1 / 3,
      goodput: 0,
      servedShare: 0,
      timedOut: 0,
      minStarted: 2,
      p50Ms: Number.NaN,
      p99MaxMs: Number.NaN,
    });
  });

  it("gives rates per second, and levels as means over time", () => {
    const recorded = { meter: filledMeter(), levels, durationMs: 3_000 };
    const all = summaryOf({ name: "all", fromMs: 0, toMs: 3_000 }, recorded);
    expect(all).toMatchObject({
      meanLimit: 20,
      maxLimit: 30,
      minLimit: 10,
      meanBusy: 1,
      offered: 1,
      goodput: 2 / 3,
      servedShare: 2 / 3,
      minStarted: 0,
      p50Ms: 100,
      p99Ms: 300,
      firstByteP50Ms: Number.NaN,
    });
  });

  it("finds the worst slot of 5 s, and the largest p99 of slots of 5 s, or 10 s in long runs", () => {
    const meter = new Meter(310_000);
    for (let second = 0; second < 310; second++) {
      meter.count("attempts", second * 1_000);
      // One slot of 5 s in which two of five are refused.
      if (second === 11 || second === 12) meter.count("rejected", second * 1_000);
      // 99 of 100 are quick, save for the slow one in a slot of its own.
      for (let each = 0; each < 100; each++) {
        meter.latencies.add(second * 1_000 + each, second === 20 && each < 8 ? 900 : 10);
      }
    }
    const flat = Array.from({ length: 310 }, () => ({ limit: 1, inFlight: 1, busy: 1 }));
    const phase = { name: "all", fromMs: 0, toMs: 300_000 };
    const long = summaryOf(phase, { meter, levels: flat, durationMs: 310_000 });
    const short = summaryOf(phase, { meter, levels: flat, durationMs: 300_000 });
    expect(long.worstSlotShare).toBeCloseTo(3 / 5, 9);
    // 8 of 500 are more than 1 %, 8 of 1 000 are not.
    expect([short.p99MaxMs, long.p99MaxMs]).toEqual([900, 10]);
  });
});
