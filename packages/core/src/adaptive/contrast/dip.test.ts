import { describe, expect, it } from "vitest";
import { sampleOf } from "../../../test/adaptive/samples";
import { Dip } from "./dip";
import { LatencyMoments } from "./latency-moments";
import { Spread } from "./spread";

/** Samples near a limit of 40, 20 ms each, and what they say of the spread. */
function nearTheLimit() {
  const near = new LatencyMoments();
  for (let each = 0; each < 200; each++) near.add(20, 40, 0);
  const spread = new Spread();
  for (let each = 0; each < 20; each++) spread.add(near);
  return { near, spread };
}

/** Plays a dip from `startMs` on in which requests with `inFlight` take `latencyMs`. */
function play(dip: Dip, startMs: number, latencyMs: number, inFlight: number) {
  const { near, spread } = nearTheLimit();
  dip.start(startMs, near, spread);
  for (let nowMs = startMs + 1; nowMs < startMs + 1000; nowMs++) {
    // For 20 ms what ends had started before, at the limit.
    const isOld = nowMs - startMs < 20;
    dip.takes(sampleOf({ nowMs, latencyMs: isOld ? 20 : latencyMs, inFlight }));
    dip.comesUp(nowMs);
    const finding = dip.finding(nowMs, spread);
    if (finding !== undefined) return finding;
  }
  throw new Error("The dip found nothing");
}

describe("Dip", () => {
  it("R073: takes only what started in it, in each of ten dips", () => {
    const dip = new Dip();
    for (let each = 0; each < 10; each++) {
      expect(play(dip, each * 10_000, 10, 22).low.meanMs).toBe(10);
    }
  });

  it("tells a queue from a server that is slow however little it has to do", () => {
    // In proportion to what is in flight: 22 of 40 take 11 of 20 ms.
    expect(play(new Dip(), 0, 11, 22).queue).toBe("queue");
    expect(play(new Dip(), 0, 20, 22).queue).toBe("none");
  });

  it("brings the limit back before it knows, and knows once", () => {
    const { near, spread } = nearTheLimit();
    const dip = new Dip();
    expect([dip.isDown, dip.isUnderWay]).toEqual([false, false]);
    dip.start(0, near, spread);
    expect([dip.isDown, dip.isUnderWay]).toEqual([true, true]);
    expect(dip.comesUp(1)).toBe(false);
    expect(dip.comesUp(100)).toBe(true);
    expect([dip.isDown, dip.isUnderWay]).toEqual([false, true]);
    expect(dip.comesUp(101)).toBe(false);
    expect(dip.finding(101, spread)).toBeUndefined();
    expect(dip.finding(500, spread)?.lengthMs).toBe(100);
    expect(dip.finding(501, spread)).toBeUndefined();
    expect(dip.isUnderWay).toBe(false);
  });

  it("is over when it is abandoned", () => {
    const { near, spread } = nearTheLimit();
    const dip = new Dip();
    dip.start(0, near, spread);
    dip.abandon();
    expect(dip.isUnderWay).toBe(false);
    expect(dip.takes(sampleOf())).toBe(false);
  });
});
