import { describe, expect, it } from "vitest";
import { EnginePlay } from "../../../test/engine/engine-play";
import { fixedWindow } from "../../limit/fixed-window";
import type { Limit } from "../../limit/limit";
import { slidingLog } from "../../limit/sliding-log";
import { slidingWindow } from "../../limit/sliding-window";
import { tokenBucket } from "../../limit/token-bucket";

/** at ms, cost → passes, used after, reset after, retry after */
type Row = readonly [number, number, boolean, number, number, number | undefined];

function play(limit: Limit, rows: readonly Row[]): void {
  const engine = new EnginePlay();
  for (const [at, cost, passes, used, resetAfterMs, retryAfterMs] of rows) {
    const [check] = engine.admit(at, [limit], cost).checks;
    expect({ at, ...check }).toMatchObject({ at, passes, used, resetAfterMs, retryAfterMs });
  }
}

describe("a fixed window", () => {
  it("opens at the first charge and ends exactly windowMs later", () => {
    play(fixedWindow({ max: 3, windowMs: 100 }), [
      [7, 2, true, 2, 100, undefined],
      [8, 2, false, 2, 99, 99],
      [8, 1, true, 3, 99, undefined],
      [106, 1, false, 3, 1, 1],
      // The first instant of the next window.
      [107, 3, true, 3, 100, undefined],
      [107, 1, false, 3, 100, 100],
    ]);
  });

  it("ends at a multiple of windowMs when it is anchored to the epoch", () => {
    play(fixedWindow({ max: 1, windowMs: 100, anchor: "epoch" }), [
      [250, 1, true, 1, 50, undefined],
      [299, 1, false, 1, 1, 1],
      [300, 1, true, 1, 100, undefined],
      [301, 1, false, 1, 99, 99],
    ]);
  });

  it("goes by the anchor of the question, not by that of the stored state", () => {
    const engine = new EnginePlay();
    engine.admit(250, [fixedWindow({ max: 1, windowMs: 100 })]);
    const aligned = fixedWindow({ max: 1, windowMs: 100, anchor: "epoch" });
    expect(engine.peek(299, [aligned]).checks[0]?.retryAfterMs).toBe(1);
    expect(engine.peek(300, [aligned]).admitted).toBe(true);
    expect(engine.peek(300, [fixedWindow({ max: 1, windowMs: 100 })]).admitted).toBe(false);
  });

  it("that lies in the future after a step back of the clock lasts one window from then", () => {
    const limit = fixedWindow({ max: 1, windowMs: 100 });
    play(limit, [
      [10_000, 1, true, 1, 100, undefined],
      [500, 1, false, 1, 100, 100],
      // Only refusals came, and still the window has moved back with the clock.
      [599, 1, false, 1, 1, 1],
      [600, 1, true, 1, 100, undefined],
    ]);
  });

  it("takes a refund after a step back, since it is still the window that was charged", () => {
    const limit = fixedWindow({ max: 5, windowMs: 100 });
    const engine = new EnginePlay();
    const { checks } = engine.admit(10_000, [limit], 3);
    engine.settle(500, limit, checks[0], 3, 1);
    expect(engine.peek(500, [limit], 0).checks[0]?.used).toBe(1);
  });
});

describe("a sliding window", () => {
  const limit = slidingWindow({ max: 4, windowMs: 100, buckets: 2 });

  it("counts buckets + 1 slices, so a charge is gone at the start of slice i + buckets + 1", () => {
    play(limit, [
      [10, 3, true, 3, 140, undefined],
      [60, 1, true, 4, 140, undefined],
      [149, 1, false, 4, 51, 1],
      [149, 4, false, 4, 51, 51],
      [150, 1, true, 2, 150, undefined],
      [199, 3, false, 2, 101, 1],
      [200, 3, true, 4, 150, undefined],
      [299, 0, false, 4, 51, 1],
      [300, 0, true, 3, 50, undefined],
      [350, 4, true, 4, 150, undefined],
    ]);
  });

  it("moves counts that lie in the future to the current slice", () => {
    play(limit, [
      [510, 2, true, 2, 140, undefined],
      [560, 2, true, 4, 140, undefined],
      [110, 1, false, 4, 140, 140],
      [249, 1, false, 4, 1, 1],
      [250, 1, true, 1, 150, undefined],
    ]);
  });

  it("keeps what is older than the step where it was", () => {
    play(limit, [
      [110, 1, true, 1, 140, undefined],
      [160, 2, true, 3, 140, undefined],
      [120, 2, false, 3, 130, 130],
      [249, 1, true, 4, 101, undefined],
    ]);
  });

  it("drops refunds of before a step back, whose slices mean something else by now", () => {
    const engine = new EnginePlay();
    const { checks } = engine.admit(560, [limit], 2);
    engine.admit(110, [limit], 1);
    engine.settle(110, limit, checks[0], 2, 0);
    expect(engine.peek(110, [limit], 0).checks[0]?.used).toBe(3);
  });

  it("refunds into the slice that was charged while it counts, and drops the refund afterwards", () => {
    const engine = new EnginePlay();
    const first = engine.admit(10, [limit], 2).checks[0];
    engine.admit(60, [limit], 1);
    engine.settle(149, limit, first, 2, 1);
    expect(engine.peek(149, [limit], 0).checks[0]?.used).toBe(2);
    engine.settle(150, limit, first, 1, 0);
    expect(engine.peek(150, [limit], 0).checks[0]?.used).toBe(1);
    engine.settle(150, limit, first, 1, 4);
    expect(engine.peek(150, [limit], 0).checks[0]).toMatchObject({ used: 4, resetAfterMs: 150 });
  });
});

describe("a sliding log", () => {
  const limit = slidingLog({ max: 3, windowMs: 100 });

  it("gives each unit back exactly windowMs after it was charged", () => {
    play(limit, [
      [0, 1, true, 1, 100, undefined],
      [40, 2, true, 3, 100, undefined],
      [99, 1, false, 3, 41, 1],
      [99, 2, false, 3, 41, 41],
      [100, 1, true, 3, 100, undefined],
      [139, 1, false, 3, 61, 1],
      [140, 2, true, 3, 100, undefined],
      [239, 3, false, 2, 1, 1],
      [240, 3, true, 3, 100, undefined],
    ]);
  });

  it("keeps one entry per instant", () => {
    const engine = new EnginePlay();
    for (let each = 0; each < 3; each += 1) engine.admit(5, [limit]);
    expect(engine.state()).toMatchObject({ instantsMs: [5], costs: [3] });
  });

  it("moves entries that lie in the future to now, and drops their refunds", () => {
    const engine = new EnginePlay();
    engine.admit(10, [limit]);
    const { checks } = engine.admit(60, [limit]);
    engine.admit(61, [limit]);
    expect(engine.admit(30, [limit]).checks[0]).toMatchObject({ passes: false, retryAfterMs: 80 });
    expect(engine.state()).toMatchObject({ instantsMs: [10, 30], costs: [1, 2] });
    engine.settle(30, limit, checks[0], 1, 0);
    expect(engine.peek(110, [limit], 0).checks[0]).toMatchObject({ used: 2, resetAfterMs: 20 });
  });

  it("is bounded however many debts come, by merging the two oldest", () => {
    const engine = new EnginePlay();
    const long = slidingLog({ max: 3, windowMs: 1_000_000 });
    for (let at = 0; at < 2003; at += 1) engine.settle(at, long, undefined, 0, 1);
    const state = engine.state() as unknown as { instantsMs: number[]; costs: number[] };
    expect(state.instantsMs.length).toBe(2000);
    expect(state.instantsMs[0]).toBe(3);
    expect(state.costs[0]).toBe(4);
    expect(engine.peek(2002, [long], 0).checks[0]?.used).toBe(2003);
  });
});

describe("a token bucket", () => {
  const limit = tokenBucket({ capacity: 3, refill: 3, perMs: 1000 });

  it("R003 gives units back one by one, and never more than refill in any perMs once drained", () => {
    const engine = new EnginePlay();
    const admitted: number[] = [];
    for (let at = 0; at < 10_000; at += 100) {
      if (engine.admit(at, [limit]).admitted) admitted.push(at);
    }
    expect(admitted.length).toBe(32);
    expect(admitted.slice(0, 10)).toEqual([0, 100, 200, 400, 700, 1000, 1400, 1700, 2000, 2400]);
  });

  it("waits to the millisecond, with the remainder counted", () => {
    play(limit, [
      [0, 3, true, 3, 1000, undefined],
      [100, 1, false, 3, 900, 234],
      [333, 1, false, 3, 667, 1],
      // 334 ms bring 1.002 units, and the rest is not lost.
      [334, 1, true, 3, 1000, undefined],
      [334, 3, false, 3, 1000, 1000],
      [1333, 3, false, 1, 1, 1],
      [1334, 3, true, 3, 1000, undefined],
    ]);
  });

  it("makes one unit of ten refills of a tenth", () => {
    const slow = tokenBucket({ capacity: 1, refill: 1, perMs: 10 });
    const engine = new EnginePlay();
    engine.admit(0, [slow]);
    for (let at = 1; at < 10; at += 1) expect(engine.admit(at, [slow]).admitted).toBe(false);
    expect(engine.admit(10, [slow]).admitted).toBe(true);
  });

  it("R012 gains nothing by a step of the clock in either direction", () => {
    const second = tokenBucket({ capacity: 3, refill: 1, perMs: 1000 });
    const engine = new EnginePlay();
    engine.admit(11_000, [second], 3);
    expect(engine.admit(0, [second]).checks[0]?.retryAfterMs).toBe(1000);
    expect(engine.peek(1000, [second], 0).checks[0]?.used).toBe(2);
  });

  it("returns at a refund only what the rate has not produced since, and never overflows", () => {
    const engine = new EnginePlay();
    const wide = tokenBucket({ capacity: 10, refill: 1, perMs: 10 });
    const { checks } = engine.admit(0, [wide], 8);
    engine.admit(0, [wide], 2);
    engine.settle(35, wide, checks[0], 8, 0);
    // 10 missing, 3 produced, 8 - 3 returned.
    expect(engine.peek(35, [wide], 0).checks[0]?.used).toBe(2);
    const last = engine.admit(35, [wide], 1).checks[0];
    engine.settle(35, wide, last, 1, 0);
    engine.settle(35, wide, last, 9, 0);
    expect(engine.state()).toBeNull();
  });

  it("goes into debt by an extra charge, and works it off at its rate", () => {
    const engine = new EnginePlay();
    const { checks } = engine.admit(0, [limit], 3);
    engine.settle(0, limit, checks[0], 3, 6);
    expect(engine.peek(0, [limit], 1).checks[0]).toMatchObject({ used: 6, retryAfterMs: 1334 });
    expect(engine.peek(1333, [limit], 1).admitted).toBe(false);
    expect(engine.peek(1334, [limit], 1).admitted).toBe(true);
  });

  it("keeps debts so small that the time to work them off is a safe integer", () => {
    const engine = new EnginePlay();
    for (const state of ["no state", "a drained bucket"]) {
      engine.settle(0, limit, undefined, 0, Number.MAX_SAFE_INTEGER);
      const resetAfterMs = engine.peek(0, [limit], 0).checks[0]?.resetAfterMs;
      expect(Number.isSafeInteger(resetAfterMs), state).toBe(true);
    }
  });

  it("stays exact where elapsed × refill exceeds 2^53", () => {
    const huge = tokenBucket({ capacity: 1_000_000, refill: 2_000_000, perMs: 4_000_000_000 });
    const engine = new EnginePlay();
    engine.admit(0, [huge], 1_000_000);
    const at = 1_999_999_999;
    expect(engine.peek(at, [huge], 0).checks[0]).toMatchObject({ used: 1, resetAfterMs: 1 });
    expect(engine.peek(at + 1, [huge], 0).checks[0]?.used).toBe(0);
  });

  it("refills whole periods and the rest of one alike", () => {
    const steps = tokenBucket({ capacity: 100, refill: 7, perMs: 10 });
    const engine = new EnginePlay();
    engine.admit(0, [steps], 100);
    expect(engine.peek(34, [steps], 0).checks[0]).toMatchObject({ used: 77, resetAfterMs: 109 });
    expect(engine.peek(34, [steps], 30).checks[0]?.retryAfterMs).toBe(9);
  });
});

describe("debts beyond the safe integers", () => {
  it.each([
    slidingWindow({ max: 10, windowMs: 100, buckets: 2 }),
    slidingLog({ max: 10, windowMs: 100 }),
    fixedWindow({ max: 10, windowMs: 100 }),
    tokenBucket({ capacity: 10, refill: 1, perMs: 100 }),
  ])("saturate in a $kind, and the waits stay exact", (limit) => {
    const engine = new EnginePlay();
    for (const at of [0, 50, 60]) {
      engine.settle(at, limit, undefined, 0, Number.MAX_SAFE_INTEGER);
    }
    const [check] = engine.peek(60, [limit], 10).checks;
    expect(Number.isSafeInteger(check?.used)).toBe(true);
    const waitMs = check?.retryAfterMs ?? Number.NaN;
    expect(engine.peek(60 + waitMs - 1, [limit], 10).admitted).toBe(false);
    expect(engine.peek(60 + waitMs, [limit], 10).admitted).toBe(true);
  });
});
