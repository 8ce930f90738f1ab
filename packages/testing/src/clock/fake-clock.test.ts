import { InvalidOptionsError } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { FakeClock, realisticStartMs } from "./fake-clock";

describe.each([
  { start: "0", startMs: 0 },
  { start: "a realistic instant", startMs: realisticStartMs },
])("FakeClock started at $start", ({ startMs }) => {
  it("moves only when it is moved", () => {
    const clock = new FakeClock({ startMs });
    expect(clock.nowMs()).toBe(startMs);
    clock.advance(250);
    expect(clock.nowMs()).toBe(startMs + 250);
    clock.advance(0);
    expect(clock.nowMs()).toBe(startMs + 250);
  });

  it("runs due timers by due time, then by creation, each at its own due time", () => {
    const clock = new FakeClock({ startMs });
    const ran: [string, number][] = [];
    const note = (name: string) => () => void ran.push([name, clock.nowMs() - startMs]);
    clock.after(30, note("late"));
    clock.after(10, note("first of two"));
    clock.after(10, note("second of two"));
    clock.after(31, note("not due"));
    clock.advance(30);
    expect(ran).toEqual([
      ["first of two", 10],
      ["second of two", 10],
      ["late", 30],
    ]);
    expect(clock.nowMs()).toBe(startMs + 30);
  });

  it("steps back without making a pending timer late or early", () => {
    const clock = new FakeClock({ startMs });
    clock.advance(1_000);
    const ranAt: number[] = [];
    clock.after(100, () => ranAt.push(clock.nowMs()));
    clock.stepBack(600);
    expect(clock.nowMs()).toBe(startMs + 400);
    expect(clock.nextDueMs).toBe(startMs + 500);
    clock.advance(99);
    expect(ranAt).toEqual([]);
    clock.advance(1);
    expect(ranAt).toEqual([startMs + 500]);
  });
});

describe("FakeClock timers", () => {
  it("run within the same advance when a timer schedules them", () => {
    const clock = new FakeClock();
    const ranAt: number[] = [];
    const again = () => {
      ranAt.push(clock.nowMs());
      clock.after(10, again);
    };
    clock.after(10, again);
    clock.advance(35);
    expect(ranAt).toEqual([10, 20, 30]);
    expect(clock.nextDueMs).toBe(40);
  });

  it("do not run one millisecond early, and round fractions up", () => {
    const clock = new FakeClock();
    let runs = 0;
    clock.after(9.2, () => runs++);
    clock.advance(9);
    expect(runs).toBe(0);
    clock.advance(1);
    expect(runs).toBe(1);
  });

  it("run once, and not at all after being cancelled", () => {
    const clock = new FakeClock();
    let runs = 0;
    const cancel = clock.after(5, () => runs++);
    const cancelOther = clock.after(5, () => runs++);
    clock.after(5, () => runs++);
    cancelOther();
    cancelOther();
    clock.advance(5);
    cancel();
    clock.advance(1_000);
    expect(runs).toBe(2);
  });

  it("can cancel a timer that is due at the same instant", () => {
    const clock = new FakeClock();
    let runs = 0;
    let cancelSecond = () => {};
    clock.after(5, () => cancelSecond());
    cancelSecond = clock.after(5, () => runs++);
    clock.advance(5);
    expect(runs).toBe(0);
  });

  it("wait longer than 2 147 483 647 ms without overflow", () => {
    const clock = new FakeClock();
    let runs = 0;
    clock.after(31_536_000_000, () => runs++);
    clock.advance(31_535_999_999);
    expect(runs).toBe(0);
    clock.advance(1);
    expect(runs).toBe(1);
  });

  it("never fire and are never pending with a delay of Infinity", () => {
    const clock = new FakeClock();
    let runs = 0;
    const cancel = clock.after(Number.POSITIVE_INFINITY, () => runs++);
    expect(clock.isIdle).toBe(true);
    clock.advance(Number.MAX_SAFE_INTEGER);
    cancel();
    expect(runs).toBe(0);
  });

  it("leave the clock at the instant of a timer that throws, ready to be moved on", () => {
    const clock = new FakeClock();
    let runs = 0;
    clock.after(5, () => {
      throw new Error("broken timer");
    });
    clock.after(6, () => runs++);
    expect(() => clock.advance(10)).toThrow("broken timer");
    expect(clock.nowMs()).toBe(5);
    clock.advance(1);
    expect(runs).toBe(1);
  });
});

describe("FakeClock idleness", () => {
  it("counts pending timers, those that keep a process alive, and tells the next due instant", () => {
    const clock = new FakeClock({ startMs: 1_000 });
    expect(clock.isIdle).toBe(true);
    expect(clock.nextDueMs).toBeUndefined();
    const cancel = clock.after(20, () => {}, { keepsProcessAlive: true });
    clock.after(10, () => {});
    expect([clock.pendingTimers, clock.keepAliveTimers, clock.nextDueMs]).toEqual([2, 1, 1_010]);
    clock.advance(10);
    expect([clock.pendingTimers, clock.keepAliveTimers, clock.nextDueMs]).toEqual([1, 1, 1_020]);
    cancel();
    expect([clock.pendingTimers, clock.keepAliveTimers, clock.isIdle]).toEqual([0, 0, true]);
  });

  it("runs until idle, also through timers that promise reactions schedule", async () => {
    const clock = new FakeClock();
    const ranAt: number[] = [];
    const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
    const work = (async () => {
      for (const ms of [10, 200, 3_000]) {
        await wait(ms);
        ranAt.push(clock.nowMs());
      }
    })();
    await clock.runUntilIdle();
    await work;
    expect(ranAt).toEqual([10, 210, 3_210]);
    expect(clock.nowMs()).toBe(3_210);
  });

  it("reports a clock that does not become idle instead of running for ever", async () => {
    const clock = new FakeClock();
    const again = () => void clock.after(1_000, again);
    again();
    await expect(clock.runUntilIdle(10_000)).rejects.toThrow("1 are pending, the next at 11000");
  });
});

describe("FakeClock.advanceAsync", () => {
  it("lets promise reactions run between timers, so that what they schedule is on time", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    clock.after(10, () => {
      void Promise.resolve().then(() => {
        ran.push(`reaction at ${clock.nowMs()}`);
        clock.after(5, () => ran.push(`its timer at ${clock.nowMs()}`));
      });
    });
    clock.after(20, () => ran.push(`other timer at ${clock.nowMs()}`));
    await clock.advanceAsync(100);
    expect(ran).toEqual(["reaction at 10", "its timer at 15", "other timer at 20"]);
    expect(clock.nowMs()).toBe(100);
  });

  it("lets chains of 1 000 reactions settle before the first timer and after the last", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const chain = async (name: string) => {
      for (let turn = 0; turn < 1_000; turn++) await undefined;
      ran.push(`${name} at ${clock.nowMs()}`);
    };
    void chain("before");
    clock.after(10, () => void chain("after"));
    await clock.advanceAsync(10);
    expect(ran).toEqual(["before at 0", "after at 10"]);
  });

  it("runs a timer that the last reactions schedule for the very end", async () => {
    const clock = new FakeClock();
    let ranAt = -1;
    clock.after(10, () => {
      void Promise.resolve().then(() => clock.after(90, () => (ranAt = clock.nowMs())));
    });
    await clock.advanceAsync(100);
    expect(ranAt).toBe(100);
  });
});

describe("FakeClock misuse", () => {
  it.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, "5"])("refuses to move by %s", (ms) => {
    const clock = new FakeClock({ startMs: 50 });
    expect(() => clock.advance(ms as number)).toThrow(InvalidOptionsError);
    expect(() => clock.stepBack(ms as number)).toThrow(InvalidOptionsError);
    expect(() => new FakeClock({ startMs: ms as number })).toThrow(InvalidOptionsError);
    expect(clock.nowMs()).toBe(50);
  });

  it("refuses options that would do nothing, such as an instant alone", () => {
    expect(() => new FakeClock(5 as never)).toThrow("expected an options object, received 5");
    expect(() => new FakeClock({ start: 5 } as never)).toThrow("start: expected no such option");
  });

  it.each([Number.NaN, -1, "ten"])("refuses a delay of %s", (delayMs) => {
    const clock = new FakeClock();
    expect(() => clock.after(delayMs as number, () => {})).toThrow(InvalidOptionsError);
    expect(clock.isIdle).toBe(true);
  });

  it("refuses to step back below 0", () => {
    const clock = new FakeClock({ startMs: 5 });
    expect(() => clock.stepBack(6)).toThrow("expected at most the current instant, 5");
    clock.stepBack(5);
    expect(clock.nowMs()).toBe(0);
  });

  it("refuses to be advanced from inside a timer or while it is being advanced", async () => {
    const clock = new FakeClock();
    clock.after(1, () => clock.advance(1));
    expect(() => clock.advance(5)).toThrow("being moved already");
    const running = clock.advanceAsync(5);
    expect(() => clock.advance(1)).toThrow("being moved already");
    await running;
    clock.advance(1);
    expect(clock.nowMs()).toBe(7);
  });

  it("refuses timers that schedule each other for ever without delay", () => {
    const clock = new FakeClock();
    const again = () => void clock.after(0, again);
    again();
    expect(() => clock.advance(1)).toThrow("at one instant");
  });
});
