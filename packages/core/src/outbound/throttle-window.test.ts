import { describe, expect, it } from "vitest";
import { ThrottleWindow } from "./throttle-window";

const settings = { windowMs: 30_000, k: 2, minRequests: 5 };

describe("ThrottleWindow", () => {
  it("counts what was added within the window", () => {
    const window = new ThrottleWindow(settings, 0);
    for (const fate of ["accepted", "dropped", "refused"] as const) window.add(fate, 0);
    window.add("accepted", 10_500);
    expect(window.countsAt(29_999)).toEqual({ requests: 4, accepts: 2 });
  });

  it("forgets a step as a whole, when it is read and not only when something is added", () => {
    const window = new ThrottleWindow(settings, 0);
    window.add("refused", 999);
    window.add("refused", 1000);
    expect(window.countsAt(29_999).requests).toBe(2);
    expect(window.countsAt(30_000).requests).toBe(1);
    expect(window.countsAt(30_999).requests).toBe(1);
    expect(window.countsAt(31_000).requests).toBe(0);
  });

  it.each([0, 1_764_000_000_123])("forgets everything after a long time, from %d", (startMs) => {
    const window = new ThrottleWindow(settings, startMs);
    for (let ms = 0; ms < 30_000; ms += 500) window.add("accepted", startMs + ms);
    expect(window.countsAt(startMs + 864e6)).toEqual({ requests: 0, accepts: 0 });
    window.add("dropped", startMs + 864e6);
    expect(window.countsAt(startMs + 864e6)).toEqual({ requests: 1, accepts: 0 });
  });
});

it("refuses nothing before there are so many requests", () => {
  const window = new ThrottleWindow(settings, 0);
  for (let n = 0; n < 4; n += 1) window.add("dropped", 0);
  expect(window.probabilityAt(0)).toBe(0);
  window.add("dropped", 0);
  expect(window.probabilityAt(0)).toBeCloseTo(5 / 6, 10);
});

describe("recovery", () => {
  /** A window of refusals, and then a second of calls per entry of `sent`. */
  function afterOutage(sent: readonly (readonly ["accepted" | "dropped", number][])[]): number {
    const window = new ThrottleWindow(settings, 0);
    for (let ms = 0; ms < 30_000; ms += 10) window.add("refused", ms);
    window.add("dropped", 29_999);
    sent.forEach((fates, second) => {
      for (const [fate, count] of fates) {
        for (let nth = 0; nth < count; nth += 1) window.add(fate, 30_000 + second * 1000);
      }
    });
    return window.probabilityAt(30_000 + sent.length * 1000);
  }
  const probe = [["accepted", 1]] as const;
  const seconds = (count: number) => Array.from({ length: count }, () => [...probe] as never);

  it("lets more pass with each second that works, and all after a window of them", () => {
    expect(afterOutage([[["dropped", 1]]])).toBeGreaterThan(0.99);
    expect(afterOutage(seconds(15))).toBeCloseTo(0.75, 1);
    expect(afterOutage(seconds(29))).toBeLessThan(0.13);
    expect(afterOutage(seconds(30))).toBe(0);
  });

  it("begins anew when more than half of what k tolerates is dropped", () => {
    const tolerable = [
      ["accepted", 3],
      ["dropped", 1],
    ] as never;
    const tooMuch = [
      ["accepted", 2],
      ["dropped", 1],
    ] as never;
    expect(afterOutage([...seconds(14), tolerable])).toBeCloseTo(0.75, 1);
    expect(afterOutage([...seconds(14), tooMuch])).toBeGreaterThan(0.95);
  });

  it("passes over seconds in which nothing was sent", () => {
    const withGaps = seconds(15).flatMap((second) => [second, [] as never]);
    expect(afterOutage([...withGaps.slice(-29)])).toBeLessThan(0.8);
  });
});
