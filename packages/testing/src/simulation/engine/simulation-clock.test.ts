import { InvalidOptionsError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { SimulationClock } from "./simulation-clock";

describe("SimulationClock", () => {
  it("shows whole milliseconds, and counts in fractions", () => {
    const clock = new SimulationClock();
    const seen: [number, number][] = [];
    clock.at(1.75, { run: () => void seen.push([clock.nowMs(), clock.exactMs]) });
    clock.runUntil(2.5);
    expect(seen).toEqual([[1, 1.75]]);
    expect([clock.nowMs(), clock.exactMs]).toEqual([2, 2.5]);
  });

  it("fires timers when the whole delay has passed by what it shows", () => {
    const clock = new SimulationClock();
    const firedAt: number[] = [];
    clock.at(10.9, { run: () => void clock.after(5, () => firedAt.push(clock.nowMs())) });
    clock.runUntil(15.8);
    expect(firedAt).toEqual([]);
    clock.runUntil(16);
    expect(firedAt).toEqual([15]);
  });

  it("does not fire what was cancelled, nor what is never due", () => {
    const clock = new SimulationClock();
    let fired = 0;
    const cancel = clock.after(1, () => fired++);
    clock.after(Number.POSITIVE_INFINITY, () => fired++)();
    cancel();
    cancel();
    clock.runUntil(100);
    expect(fired).toBe(0);
  });

  it.each([Number.NaN, -1, "ten"])("refuses a delay of %s", (delayMs) => {
    const clock = new SimulationClock();
    expect(() => clock.after(delayMs as number, () => {})).toThrow(InvalidOptionsError);
  });

  it("takes an instant that has passed for now", () => {
    const clock = new SimulationClock();
    const ranAt: number[] = [];
    clock.at(5, { run: () => void clock.at(3, { run: () => void ranAt.push(clock.exactMs) }) });
    clock.runUntil(5);
    expect(ranAt).toEqual([5]);
  });

  it("refuses timers that schedule each other for ever without delay", () => {
    const clock = new SimulationClock();
    const again = () => void clock.after(0, again);
    again();
    expect(() => clock.runUntil(1)).toThrow("at one instant");
  });

  it("lets promise reactions run between events, and stops when it is told to", async () => {
    const clock = new SimulationClock();
    const ran: string[] = [];
    clock.after(10, () => {
      void Promise.resolve().then(() => clock.after(5, () => ran.push(`at ${clock.nowMs()}`)));
    });
    clock.after(20, () => ran.push("at 20"));
    clock.after(30, () => ran.push("at 30"));
    await clock.runUntilAsync(100, () => ran.length === 2);
    expect(ran).toEqual(["at 15", "at 20"]);
  });
});
