import { describe, expect, it } from "vitest";
import { sampleOf } from "../../test/adaptive/samples";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { aimd } from "./aimd";
import { gradient2 } from "./gradient2";
import type { AlgorithmSample, LimitAlgorithm } from "./limit-algorithm";
import { windowSampler } from "./window-sampler";

/** An algorithm that keeps what it is told and does as it is set to. */
class Spy implements LimitAlgorithm {
  readonly name = "spy";
  readonly usesDrops: boolean;
  readonly reason = "headroom";
  readonly updates: AlgorithmSample[] = [];
  limit = 20;
  next = 20;

  constructor(usesDrops = true) {
    this.usesDrops = usesDrops;
  }

  onSample(sample: AlgorithmSample): void {
    this.updates.push({ ...sample });
    this.limit = this.next;
  }

  hold(limit: number): void {
    this.limit = limit;
  }
}

describe("windowSampler", () => {
  it("makes one update of a window: mean of what ended well, most in flight, demand", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy, minSamples: 3 });
    sampler.onSample(sampleOf({ nowMs: 0, latencyMs: 100, inFlight: 4 }));
    sampler.onSample(sampleOf({ nowMs: 500, latencyMs: 200, inFlight: 9, full: true }));
    sampler.onSample(sampleOf({ nowMs: 999, latencyMs: 900, inFlight: 5 }));
    expect(spy.updates).toEqual([]);
    sampler.onSample(sampleOf({ nowMs: 1000, latencyMs: 400, inFlight: 5 }));
    const update = { nowMs: 1000, latencyMs: 400, inFlight: 9, dropped: false, full: true };
    expect(spy.updates).toEqual([update]);
  });

  it("passes on a quantile if it is asked for one", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy, statistic: 0.5, minSamples: 5 });
    for (const latencyMs of [1, 2, 3, 4]) sampler.onSample(sampleOf({ latencyMs }));
    sampler.onSample(sampleOf({ nowMs: 1000, latencyMs: 5 }));
    expect(spy.updates.map(({ latencyMs }) => latencyMs)).toEqual([3]);
  });

  it.each([
    { count: 20, endMs: 1000 },
    { count: 19, endMs: 5000 },
    { count: 5, endMs: 5000 },
    { count: 4, endMs: 30_000 },
    { count: 1, endMs: 30_000 },
  ])("ends a window of $count samples at $endMs ms and discards none", ({ count, endMs }) => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy });
    for (let each = 0; each < count - 1; each++) sampler.onSample(sampleOf());
    // A request that left by itself is no sample, but somebody else's late one shows the time.
    for (const nowMs of [endMs - 1, endMs]) {
      if (count === 1 && nowMs < endMs) sampler.onSample(sampleOf({ nowMs: 0 }));
      else if (nowMs === endMs) sampler.onSample(sampleOf({ nowMs, latencyMs: 100 }));
    }
    expect(spy.updates).toHaveLength(1);
  });

  it("does not grow on fewer than five samples in half a minute, but shrinks", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy });
    spy.next = 40;
    sampler.onSample(sampleOf());
    sampler.onSample(sampleOf({ nowMs: 30_000 }));
    expect(sampler.limit).toBe(20);
    spy.next = 10;
    sampler.onSample(sampleOf({ nowMs: 40_000 }));
    sampler.onSample(sampleOf({ nowMs: 60_000 }));
    expect(sampler.limit).toBe(10);
  });

  it("counts drops as loss and keeps their times out of the latency", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy, minSamples: 4 });
    for (const dropped of [false, false, true]) {
      sampler.onSample(sampleOf({ dropped, latencyMs: dropped ? 5000 : 100 }));
    }
    sampler.onSample(sampleOf({ nowMs: 1000, latencyMs: 100 }));
    expect(spy.updates).toMatchObject([{ dropped: true, latencyMs: 100 }]);
  });

  it("takes one drop in 21 for bad luck", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy });
    for (let each = 0; each < 20; each++) sampler.onSample(sampleOf({ dropped: each === 7 }));
    sampler.onSample(sampleOf({ nowMs: 1000 }));
    expect(spy.updates).toMatchObject([{ dropped: false }]);
  });

  it("R073: leaves out what started under another limit", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy, minSamples: 2 });
    spy.next = 10;
    for (const nowMs of [0, 1000]) sampler.onSample(sampleOf({ nowMs, latencyMs: 20 }));
    expect(sampler.limit).toBe(10);
    // Forty of before end now, one after the other; two have started since.
    for (let each = 0; each < 40; each++) {
      sampler.onSample(sampleOf({ nowMs: 1100 + each, latencyMs: 1000, inFlight: 40 }));
    }
    for (const nowMs of [1500, 2000]) sampler.onSample(sampleOf({ nowMs, latencyMs: 10 }));
    expect(spy.updates[1]).toMatchObject({ latencyMs: 10, inFlight: 10 });
  });

  it("R075: lets a limit fall once per window when everything is dropped, and rise again", () => {
    const sampler = windowSampler({ algorithm: aimd({ initial: 100, min: 1 }) });
    const limits: number[] = [];
    for (let window = 0; window < 20; window++) {
      for (let each = 0; each < 50; each++) {
        const nowMs = window * 1001 + each * 20 + (each === 49 ? 21 : 0);
        sampler.onSample(sampleOf({ nowMs, latencyMs: 0, inFlight: 60, dropped: true }));
      }
      limits.push(sampler.limit);
    }
    expect(limits.slice(0, 4)).toEqual([90, 81, 72, 64]);
    for (const [index, limit] of limits.entries()) {
      expect(limit).toBeLessThan(limits[index - 1] ?? 100);
    }
    const least = sampler.limit;
    for (let each = 0; each <= 60; each++) {
      sampler.onSample(sampleOf({ nowMs: 21_000 + each * 50, latencyMs: 0, inFlight: 60 }));
    }
    expect(sampler.limit).toBeGreaterThan(least);
  });

  it("takes down an algorithm that does not look at drops by a tenth per window", () => {
    const sampler = windowSampler({ algorithm: gradient2({ initial: 100 }), minSamples: 1 });
    for (const nowMs of [0, 1000, 2000]) {
      sampler.onSample(sampleOf({ nowMs, latencyMs: 0, dropped: true, inFlight: 100 }));
    }
    expect(sampler.limit).toBeCloseTo(81, 6);
    expect(sampler.reason).toBe("loss");
  });

  it("does not take the time of quick refusals for a latency", () => {
    const spy = new Spy();
    const sampler = windowSampler({ algorithm: spy, minSamples: 1 });
    for (const nowMs of [0, 1000]) sampler.onSample(sampleOf({ nowMs, latencyMs: 300 }));
    sampler.onSample(sampleOf({ nowMs: 2000, latencyMs: 2, dropped: true }));
    expect(spy.updates.at(-1)).toMatchObject({ dropped: true, latencyMs: 300 });
  });

  it.each([
    [{}, "algorithm: expected an algorithm, received undefined"],
    [{ algorithm: {} }, "algorithm: expected an object with the methods onSample, hold"],
    [{ algorithm: aimd(), windowMs: 10 }, "windowMs: expected an integer of 100 or more"],
    [{ algorithm: aimd(), statistic: 1 }, 'statistic: expected "mean" or a number above 0'],
  ])("refuses %o", (options, message) => {
    expect(() => windowSampler(options as never)).toThrow(InvalidOptionsError);
    expect(() => windowSampler(options as never)).toThrow(message);
  });
});
