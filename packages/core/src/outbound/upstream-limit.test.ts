import { adaptiveLimit } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { SettableLimit } from "../../test/settable-limit";
import { UpstreamLimit } from "./upstream-limit";

function limitOf(start: number) {
  const clock = new FakeClock();
  const inner = new SettableLimit(start);
  const limit = new UpstreamLimit(inner, clock);
  const heard: number[] = [];
  limit.onChange(() => heard.push(limit.limit));
  return { clock, inner, limit, heard };
}

describe("UpstreamLimit", () => {
  it("is the given limit", () => {
    const { inner, limit, heard } = limitOf(10);
    expect(limit.limit).toBe(10);
    inner.set(12);
    inner.set(7);
    expect(limit.limit).toBe(7);
    expect(heard).toEqual([12, 7]);
  });

  it("does not grow during a hold, shrinks, and does not grow back from there", () => {
    const { clock, inner, limit } = limitOf(10);
    limit.holdGrowth(15_000);
    inner.set(14);
    expect(limit.limit).toBe(10);
    inner.set(6);
    expect(limit.limit).toBe(6);
    inner.set(9);
    expect(limit.limit).toBe(6);
    clock.advance(14_999);
    expect(limit.limit).toBe(6);
    clock.advance(1);
    expect(limit.limit).toBe(9);
  });

  it("tells its listeners when a hold ends, so that waiters start", () => {
    const { clock, inner, limit, heard } = limitOf(10);
    limit.holdGrowth(15_000);
    inner.set(14);
    clock.advance(15_000);
    expect(heard).toEqual([10, 14]);
    limit.holdGrowth(15_000);
    clock.advance(15_000);
    expect(heard).toEqual([10, 14]);
  });

  it("holds from the last refusal on, with one timer", () => {
    const { clock, inner, limit } = limitOf(10);
    for (let n = 0; n < 100; n += 1) {
      limit.holdGrowth(15_000);
      clock.advance(100);
    }
    expect(clock.pendingTimers).toBe(1);
    inner.set(20);
    clock.advance(14_899);
    expect(limit.limit).toBe(10);
    clock.advance(1);
    expect(limit.limit).toBe(20);
    expect(clock.isIdle).toBe(true);
  });

  it("obeys an operator at once, also during a hold", () => {
    const { clock, inner, limit } = limitOf(10);
    limit.holdGrowth(15_000);
    limit.useStatic(50);
    expect(limit.limit).toBe(50);
    expect(clock.isIdle).toBe(true);
    limit.freeze();
    limit.unfreeze();
    expect(inner.calls).toEqual(["useStatic 50", "freeze", "unfreeze"]);
  });

  it("leaves a wait out of the samples that are given meanwhile, and of no others", () => {
    const { inner, limit } = limitOf(10);
    const sample = { latencyMs: 500, inFlight: 3, outcome: "success" } as const;
    limit.leavingOut(200, () => limit.onSample(sample));
    limit.leavingOut(900, () => limit.onSample(sample));
    limit.onSample(sample);
    expect(inner.samples.map(({ latencyMs }) => latencyMs)).toEqual([300, 0, 500]);
  });

  it("passes on probes, and demand unless it is held", () => {
    const { clock, inner, limit } = limitOf(1);
    limit.onFull();
    expect(inner.fullCount).toBe(1);
    limit.holdGrowth(1000);
    limit.onFull();
    expect(inner.fullCount).toBe(1);
    clock.advance(1000);
    limit.onFull();
    expect(inner.fullCount).toBe(2);
    inner.probes = 1;
    expect([limit.takeProbe(), limit.takeProbe()]).toEqual([true, false]);
  });

  it("does not let the default grow unseen during a hold: no leap comes after it", () => {
    const clock = new FakeClock();
    const limit = new UpstreamLimit(adaptiveLimit({ clock, random: seededRandom(1) }), clock);
    const serve = (seconds: number) => {
      for (let ms = 0; ms < seconds * 1000; ms += 10) {
        clock.advance(10);
        limit.onFull();
        for (let n = 0; n < limit.limit / 10; n += 1) {
          limit.onSample({ latencyMs: 100, inFlight: limit.limit, outcome: "success" });
        }
      }
    };
    serve(5);
    const before = limit.limit;
    limit.holdGrowth(15_000);
    serve(14.99);
    expect(limit.limit).toBeLessThanOrEqual(before);
    clock.advance(10);
    expect(limit.limit).toBeLessThanOrEqual(2 * before);
  });

  it("lets the given limit go, and leaves no timer behind", () => {
    const { clock, inner, limit } = limitOf(10);
    limit.holdGrowth(15_000);
    limit.close();
    expect(inner.listenerCount).toBe(0);
    expect(clock.isIdle).toBe(true);
  });
});
