import type { Clock } from "@sluice/core";
import { FakeClock } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../test/runs";
import { Deadlines } from "./deadlines";

class Waiting {
  isAnswered = false;
  readonly expiresAtMs: number;
  constructor(expiresAtMs: number) {
    this.expiresAtMs = expiresAtMs;
  }
}

interface Told {
  readonly what: Waiting;
  readonly atMs: number;
}

/** Deadlines whose turns of I/O a test ends, on a loop that is late by what the test says. */
function setDeadlines({ lateMs = () => 0 }: { readonly lateMs?: () => number } = {}) {
  const time = new FakeClock();
  const clock: Clock = {
    nowMs: () => time.nowMs(),
    after: (delayMs, fn, options) => time.after(delayMs + lateMs(), fn, options),
  };
  const turns: (() => void)[] = [];
  const told: Told[] = [];
  const deadlines = new Deadlines<Waiting>(
    clock,
    (fn) => turns.push(fn),
    (expired) => told.push(...expired.map((what) => ({ what, atMs: time.nowMs() }))),
  );
  const endTurn = () => {
    for (const fn of turns.splice(0)) fn();
  };
  /** Moves time by single milliseconds, each with a turn of I/O. */
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 1) {
      time.advance(1);
      endTurn();
    }
  };
  const wait = (ms: number) => {
    const waiting = new Waiting(time.nowMs() + ms);
    deadlines.add(waiting);
    return waiting;
  };
  return { time, told, endTurn, pass, wait };
}

describe("A deadline", () => {
  it("is told at its instant", () => {
    const { told, pass, wait } = setDeadlines();
    const waiting = wait(100);
    pass(99);
    expect(told).toEqual([]);
    pass(1);
    expect(told).toEqual([{ what: waiting, atMs: 100 }]);
    pass(1_000);
    expect(told.length).toBe(1);
  });

  it("is told only after a turn of I/O, and not if the answer came in it", () => {
    const { time, told, endTurn, wait } = setDeadlines();
    const [answered, silent] = [wait(100), wait(100)];
    time.advance(100);
    expect(told).toEqual([]);
    answered.isAnswered = true;
    endTurn();
    expect(told.map(({ what }) => what)).toEqual([silent]);
  });

  it("is told a tick later after a stall of the loop", () => {
    let stallMs = 0;
    const { told, pass, wait } = setDeadlines({ lateMs: () => stallMs });
    stallMs = 50;
    wait(100);
    stallMs = 0;
    pass(150);
    expect(told).toEqual([]);
    pass(10);
    expect(told.length).toBe(1);
  });

  it("is told also on a loop that is late every time", () => {
    const { told, pass, wait } = setDeadlines({ lateMs: () => 25 });
    wait(100);
    pass(160);
    expect(told.length).toBe(1);
  });

  it("is told in time though others that are as near are added all the time", () => {
    const { told, pass, wait } = setDeadlines();
    const first = wait(5);
    for (let step = 0; step < 20; step += 1) {
      pass(1);
      wait(5);
    }
    expect(told[0]).toEqual({ what: first, atMs: 10 });
    expect(told.length).toBeGreaterThan(10);
  });

  it("that is nearer than those before it is told first", () => {
    const { told, pass, wait } = setDeadlines();
    const far = wait(100);
    const near = wait(40);
    pass(100);
    expect(told).toEqual([
      { what: near, atMs: 40 },
      { what: far, atMs: 100 },
    ]);
  });

  it("is told once, at its instant or within 10 ms, unless it was answered before", () => {
    const step = fc.record({
      passMs: fc.nat({ max: 30 }),
      waitMs: fc.integer({ min: 1, max: 200 }),
      answers: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { time, told, pass, wait } = setDeadlines();
        const all: { readonly waiting: Waiting; answeredAtMs: number }[] = [];
        for (const { passMs, waitMs, answers } of steps) {
          pass(passMs);
          all.push({ waiting: wait(waitMs), answeredAtMs: Number.POSITIVE_INFINITY });
          const answered = answers === undefined ? undefined : all.at(-1 - answers);
          if (answered === undefined || answered.waiting.isAnswered) continue;
          answered.waiting.isAnswered = true;
          answered.answeredAtMs = time.nowMs();
        }
        pass(220);
        for (const { waiting, answeredAtMs } of all) {
          const own = told.filter(({ what }) => what === waiting);
          if (answeredAtMs < waiting.expiresAtMs) expect(own).toEqual([]);
          expect(own.length).toBeLessThanOrEqual(1);
          if (!waiting.isAnswered) expect(own.length).toBe(1);
          for (const { atMs } of own) {
            expect(atMs).toBeGreaterThanOrEqual(waiting.expiresAtMs);
            expect(atMs).toBeLessThanOrEqual(waiting.expiresAtMs + 10);
          }
        }
        expect(time.isIdle).toBe(true);
      }),
      runs(200),
    );
  });
});

describe("Deadlines", () => {
  it("share one timer, which keeps the process alive", () => {
    const { time, wait } = setDeadlines();
    for (let count = 0; count < 100; count += 1) wait(100 + count);
    expect([time.pendingTimers, time.keepAliveTimers]).toEqual([1, 1]);
  });

  it("keep the process alive for at most a second longer than somebody waits", () => {
    const { time, told, pass, wait } = setDeadlines();
    const waiting = wait(60_000);
    pass(1);
    waiting.isAnswered = true;
    pass(1_000);
    expect(time.isIdle).toBe(true);
    const other = wait(60_000);
    pass(60_000);
    expect(told.map(({ what }) => what)).toEqual([other]);
  });

  it("are told in order however many were answered meanwhile", () => {
    const { told, pass, wait } = setDeadlines();
    const silent: Waiting[] = [];
    for (let count = 0; count < 10_000; count += 1) {
      const waiting = wait(50_000 + count);
      if (count % 1_000 === 0) silent.push(waiting);
      else waiting.isAnswered = true;
    }
    pass(60_010);
    expect(told.map(({ what }) => what)).toEqual(silent);
  });
});
