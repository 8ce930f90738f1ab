import { FakeClock, realisticStartMs } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { ServerClock } from "./server-clock";

function setClocks(startMs = realisticStartMs) {
  const clock = new FakeClock({ startMs });
  const server = new ServerClock(clock);
  /** A call, `thereMs` to a server whose clock is `aheadMs` ahead, and `backMs` back. */
  const call = (aheadMs: number, thereMs: number, backMs: number) => {
    const sentMs = clock.nowMs();
    clock.advance(thereMs);
    const serverNowMs = clock.nowMs() + aheadMs;
    clock.advance(backMs);
    server.observe(sentMs, clock.nowMs(), serverNowMs);
  };
  /** By how much a deadline differs from what the server's clock will show at that instant. */
  const wrongBy = (aheadMs: number, budgetMs = 100) =>
    server.deadlineFor(budgetMs) - (clock.nowMs() + budgetMs + aheadMs);
  return { clock, server, call, wrongBy };
}

describe("ServerClock", () => {
  it("gives no deadline while it knows nothing", () => {
    const { server } = setClocks();
    expect([server.deadlineFor(100), server.errorMs]).toEqual([0, undefined]);
  });

  it.each([0, 3_600_000, -3_600_000, 17])("finds a clock that is %d ms ahead", (aheadMs) => {
    const { call, wrongBy } = setClocks();
    call(aheadMs, 4, 4);
    expect(wrongBy(aheadMs)).toBe(0);
  });

  it.each([
    { thereMs: 10, backMs: 0 },
    { thereMs: 0, backMs: 10 },
    { thereMs: 9, backMs: 2 },
  ])("is wrong by half the round trip at most: $thereMs there, $backMs back", (way) => {
    const { server, call, wrongBy } = setClocks();
    call(500, way.thereMs, way.backMs);
    expect(server.errorMs).toBe((way.thereMs + way.backMs) / 2 + 1);
    expect(Math.abs(wrongBy(500))).toBeLessThanOrEqual(server.errorMs ?? 0);
  });

  it("believes the shortest round trip of the last sixteen", () => {
    const { call, server, wrongBy } = setClocks();
    call(500, 1, 1);
    for (const _ of Array.from({ length: 15 })) call(500, 80, 0);
    expect([wrongBy(500), server.errorMs]).toEqual([0, 2]);
    call(500, 80, 0);
    expect([wrongBy(500), server.errorMs]).toEqual([40, 41]);
  });

  it("prefers the younger of two equal round trips, so that it follows drift", () => {
    const { call, wrongBy } = setClocks();
    call(500, 2, 2);
    call(510, 2, 2);
    expect(wrongBy(510)).toBe(0);
  });

  it("does not believe a round trip of more than 30 s ago, unless there is nothing else", () => {
    const { clock, call, wrongBy } = setClocks();
    call(500, 1, 1);
    clock.advance(60_000);
    expect(wrongBy(500)).toBe(0);
    call(530, 5, 5);
    expect(wrongBy(530)).toBe(0);
  });

  it("knows nothing any more when it was dropped", () => {
    const { call, server, wrongBy } = setClocks();
    call(500, 1, 1);
    server.dropped();
    expect([server.deadlineFor(100), server.errorMs]).toEqual([0, undefined]);
    call(900, 5, 5);
    expect(wrongBy(900)).toBe(0);
  });

  it("never takes a deadline for none, also at instant 0", () => {
    const { call, server } = setClocks(0);
    call(0, 0, 0);
    expect(server.deadlineFor(0)).toBe(1);
    call(-5, 0, 0);
    expect(server.deadlineFor(0)).toBe(1);
  });

  it("gives whole milliseconds", () => {
    const { call, server } = setClocks();
    call(0, 1, 2);
    expect(Number.isInteger(server.deadlineFor(100))).toBe(true);
  });
});
