import { describe, expect, it } from "vitest";
import { PoolPlay } from "../../../test/pool/pool-play";
import { type PriorityPoolOptions, priorityPool } from "../../limit/priority-pool";

const half = { a: 0.5, b: 0.5 };

function playOn(options: Partial<PriorityPoolOptions>): PoolPlay {
  const base = { capacity: { requests: 10 }, windowMs: 1_000, shares: half };
  return new PoolPlay(priorityPool({ ...base, saturationThreshold: 0, ...options }));
}

/** Whether a cost passes, and after which wait if not. */
function ask(
  play: PoolPlay,
  atMs: number,
  priority: string,
  requests: number,
): true | number | undefined {
  const { admitted, checks } = play.admit(atMs, priority, { requests });
  return admitted || checks[0]?.retryAfterMs;
}

describe("A claim", () => {
  it("comes back with a refund, and no further than it was", () => {
    const play = playOn({});
    const { reservation } = play.admit(0, "a", { requests: 5 });
    expect(ask(play, 0, "a", 1)).toBe(1);
    play.settle(0, reservation, "nothing");
    // What b may not have, since a may claim it again.
    expect(ask(play, 0, "b", 6)).toBe(1);
    expect(ask(play, 0, "b", 5)).toBe(true);
    expect(ask(play, 0, "a", 5)).toBe(true);
  });

  it("that was passed over is not there for a second time", () => {
    const play = playOn({});
    expect(ask(play, 0, "b", 1)).toBe(true);
    // At half of the window a may have 2 of its 5, and b 2 of the 4 that it has left.
    expect(ask(play, 500, "a", 2)).toBe(true);
    expect(ask(play, 500, "b", 2)).toBe(true);
    // 5 are left, and nobody may claim more than nothing of them.
    expect(ask(play, 500, "a", 5)).toBe(true);
    expect(ask(play, 500, "a", 1)).toBe(500);
  });

  it("shrinks to what no instant can take away: a cost above that never passes", () => {
    const play = playOn({ windowMs: 2, shares: { a: 1 } });
    // At the last millisecond a may still claim 5 of 10.
    expect(ask(play, 0, "b", 6)).toBeUndefined();
    expect(ask(play, 1, "b", 6)).toBeUndefined();
    expect(ask(play, 4, "b", 5)).toBe(1);
    expect(ask(play, 5, "b", 5)).toBe(true);
  });
});

describe("The wait of a cost that the next window does not admit from its beginning", () => {
  it("is not known", () => {
    const play = playOn({});
    expect(ask(play, 0, "a", 5)).toBe(true);
    expect(ask(play, 0, "b", 5)).toBe(true);
    expect(ask(play, 0, "a", 6)).toBeUndefined();
    // In a window of its own: when b may claim no more than 4.
    expect(ask(play, 1_000, "a", 6)).toBe(1);
    expect(ask(play, 1_001, "a", 6)).toBe(true);
  });
});

describe("A window that a refusal opens", () => {
  it("holds nothing, and is told to be as good as none", () => {
    const play = playOn({ shares: { a: 1 } });
    expect(ask(play, 0, "b", 1)).toBe(1);
    const { checks } = play.admit(0, "b", { requests: 1 });
    expect(checks).toMatchObject([{ passes: false, used: 0, resetAfterMs: 0, retryAfterMs: 1 }]);
    expect(ask(play, 1, "b", 1)).toBe(true);
  });

  it("is opened by no cost that never passes, and under strict by none at all", () => {
    const strict = playOn({ shares: { a: 1 }, whenSaturated: "strict" });
    expect(ask(strict, 0, "b", 1)).toBeUndefined();
    expect(ask(strict, 500, "a", 10)).toBe(true);
    expect(ask(strict, 500, "a", 1)).toBe(1_000);
  });
});

describe("A shadow pool", () => {
  it("is charged as a whole or not at all, and settles nothing that it did not charge", () => {
    const pool = priorityPool({
      ...{ capacity: { requests: 10, tokens: 10 }, windowMs: 1_000, shares: {}, mode: "shadow" },
    });
    const play = new PoolPlay(pool);
    const { admitted, checks, reservation } = play.admit(0, "a", { requests: 1, tokens: 11 });
    expect(admitted).toBe(true);
    expect(checks.map(({ passes }) => passes)).toEqual([true, false]);
    play.settle(0, reservation, { requests: 1, tokens: 5 });
    const after = play.admit(0, "a", { requests: 0, tokens: 0 });
    expect(after.checks.map(({ used }) => used)).toEqual([0, 0]);
  });
});

describe("A threshold that is no whole number of units", () => {
  it("lets a cost of 0 pass below it, and a cost of 1 up to it", () => {
    const play = playOn({
      ...{ capacity: { requests: 5 }, shares: { a: 1 }, saturationThreshold: 0.5 },
      ...{ whenSaturated: "strict" },
    });
    expect(ask(play, 0, "b", 2)).toBe(true);
    expect(ask(play, 0, "b", 0)).toBe(true);
    expect(ask(play, 0, "b", 1)).toBe(1_000);
    expect(ask(play, 0, "a", 1)).toBe(true);
    expect(ask(play, 0, "b", 0)).toBe(1_000);
  });
});
