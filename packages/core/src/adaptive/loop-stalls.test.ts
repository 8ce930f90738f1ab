import { FakeClock } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError } from "../error/invalid-options-error";
import { loopStalls } from "./loop-stalls";

describe("loopStalls", () => {
  it("knows the overlap of a time with what was noted", () => {
    const clock = new FakeClock({ startMs: 10_000 });
    const stalls = loopStalls({ clock });
    stalls.note(300);
    expect(stalls.overlapMs(9_000, 11_000)).toBe(300);
    expect(stalls.overlapMs(9_800, 9_900)).toBe(100);
    expect(stalls.overlapMs(9_000, 9_800)).toBe(100);
    expect(stalls.overlapMs(10_000, 11_000)).toBe(0);
  });

  it("ignores what is no stall", () => {
    const stalls = loopStalls({ clock: new FakeClock({ startMs: 10_000 }) });
    for (const ms of [0, -5, Number.NaN]) stalls.note(ms);
    expect(stalls.overlapMs(0, 20_000)).toBe(0);
  });

  it("remembers the last sixteen", () => {
    const clock = new FakeClock({ startMs: 10_000 });
    const stalls = loopStalls({ clock });
    stalls.stop();
    for (let each = 0; each < 17; each++) {
      clock.advance(100);
      stalls.note(10);
    }
    expect(stalls.overlapMs(0, 20_000)).toBe(160);
    expect(stalls.overlapMs(0, 10_100)).toBe(0);
  });

  it("notices a timer that fires late, from when it should have fired", () => {
    let nowMs = 1_000;
    const due: (() => void)[] = [];
    const clock = {
      nowMs: () => nowMs,
      after: (_delayMs: number, fn: () => void) => {
        due.push(fn);
        return () => void due.pop();
      },
    };
    const stalls = loopStalls({ clock, everyMs: 50, atLeastMs: 20 });
    const fireAt = (atMs: number) => {
      nowMs = atMs;
      due.shift()?.();
    };
    fireAt(1_069);
    expect(stalls.overlapMs(0, 5_000)).toBe(0);
    fireAt(1_069 + 50 + 200);
    expect(stalls.overlapMs(0, 5_000)).toBe(200);
    expect(stalls.overlapMs(1_219, 5_000)).toBe(100);
    stalls.stop();
    expect(due).toEqual([]);
  });

  it("refuses bad options", () => {
    expect(() => loopStalls({ everyMs: 0 })).toThrow(InvalidOptionsError);
    expect(() => loopStalls({ atLeastMs: 0.5 })).toThrow("atLeastMs: expected an integer of 1");
  });
});
