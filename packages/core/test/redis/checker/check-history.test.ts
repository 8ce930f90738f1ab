import { describe, expect, it } from "vitest";
import { checkHistory, type Terms } from "./check-history";
import type { CheckFacts, FinalState, HistoryRecord, LimitFacts } from "./history";

const terms: Terms = { deadlineMs: 100, isOneStep: true, isLasting: () => true };

const window: LimitFacts = { kind: "fixed-window", max: 5, windowMs: 1_000_000 };

function check(over: Partial<CheckFacts> = {}): CheckFacts {
  const facts = over.facts ?? window;
  const base = { key: "k", limit: facts.kind, facts, cost: 1, used: 1, chargedAt: 0 };
  return { ...base, resetAfterMs: 1_000_000, ...over };
}

type Admit = Extract<HistoryRecord, { type: "admit" }>;

/** A question at instant `at`, which took a millisecond. */
function admit(id: string, at: number, checks: readonly CheckFacts[], over: Partial<Admit> = {}) {
  const span = { invokedMs: at, returnedMs: at + 1 };
  return { type: "admit", id, outcome: "admitted", checks, ...span, ...over } as const;
}

function correct(id: string, at: number, by: number, outcome: "ok" | "info" = "ok") {
  const changes = [{ key: "k", limit: "fixed-window", by, isCharged: true }];
  return { type: "correct", id, outcome, changes, invokedMs: at, returnedMs: at + 1 } as const;
}

function stored(used: number, limit = "fixed-window"): FinalState {
  return { counters: [{ key: "k", limit, used }], timesToLive: [{ key: "k", ttlMs: 10 }] };
}

/** Questions one after the other, each of cost 1, in one window. */
function five(count = 5): HistoryRecord[] {
  return Array.from({ length: count }, (_, index) =>
    admit(`q${index}`, index * 10, [
      check({ used: index + 1, resetAfterMs: 1_000_000 - index * 10 }),
    ]),
  );
}

function invariantsOf(history: readonly HistoryRecord[], final: FinalState, over = {}): string[] {
  const found = checkHistory(history, final, { ...terms, ...over });
  return [...new Set(found.map(({ invariant }) => invariant))];
}

describe("The checker of histories", () => {
  it("finds nothing where nothing is wrong", () => {
    expect(invariantsOf(five(), stored(5))).toEqual([]);
    expect(invariantsOf([...five(), correct("q1", 60, -1)], stored(4))).toEqual([]);
    expect(invariantsOf([...five(), correct("q1", 60, 4)], stored(9))).toEqual([]);
  });

  it("finds an over-admission of a window", () => {
    expect(invariantsOf(five(6), stored(6))).toEqual(["I1"]);
  });

  it("takes room that was made by a refund into account", () => {
    expect(invariantsOf([...five(6), correct("q1", 45, -1)], stored(5))).toEqual([]);
  });

  it.each<LimitFacts>([
    { kind: "sliding-log", max: 2, windowMs: 100 },
    { kind: "sliding-window", max: 2, buckets: 100 },
    { kind: "token-bucket", max: 2, refill: 1, perMs: 1_000 },
  ])("finds an over-admission in any span: $kind", (facts) => {
    const ask = (at: number) => admit(`q${at}`, at, [check({ facts, chargedAt: at })]);
    const none = { isLasting: () => false };
    expect(invariantsOf([0, 60, 99].map(ask), stored(0), none)).toEqual(["I1"]);
    const spread = facts.kind === "token-bucket" ? [0, 60, 2_000] : [0, 60, 101];
    expect(invariantsOf(spread.map(ask), stored(0), none)).toEqual([]);
  });

  it("finds a phantom count", () => {
    expect(invariantsOf(five(4), stored(5))).toEqual(["I2"]);
    const refused = admit("r", 90, [{ ...check(), chargedAt: undefined } as never], {
      outcome: "refused",
    });
    expect(invariantsOf([...five(4), refused], stored(5))).toEqual(["I2"]);
  });

  it("allows a question of unknown fate its own cost, once", () => {
    const unknown = admit("u", 50, [check({ cost: 2 })], { outcome: "info" });
    const history = [unknown, ...five(3), correct("q2", 60, 0)];
    for (const used of [3, 4, 5]) expect(invariantsOf(history, stored(used))).toEqual([]);
    expect(invariantsOf(history, stored(6))).toEqual(["I2"]);
    expect(invariantsOf(history, stored(2))).toEqual(["I6"]);
  });

  it("finds a partial charge", () => {
    const checks = [check(), { ...check({ limit: "other" }), chargedAt: undefined } as never];
    expect(invariantsOf([admit("q", 0, checks)], stored(1))).toEqual(["I4"]);
    const refused = admit("q", 0, [check()], { outcome: "refused" });
    expect(invariantsOf([refused], stored(1))).toContain("I4");
  });

  it("finds a settlement that was applied twice", () => {
    const history = [...five(), correct("q1", 60, -1), correct("q1", 61, -1)];
    expect(invariantsOf(history, stored(4))).toEqual([]);
    expect(invariantsOf(history, stored(3))).toEqual(["I6"]);
  });

  it("finds a slot too many, and one that is left over", () => {
    const facts: LimitFacts = { kind: "concurrency", max: 1 };
    const take = (id: string, at: number) =>
      admit(id, at, [check({ facts, chargedAt: at + 1_000 })]);
    const slots = [{ key: "k", limit: "concurrency" }];
    const free = (id: string, at: number): HistoryRecord => ({
      type: "free",
      id,
      outcome: "ok",
      slots,
      invokedMs: at,
      returnedMs: at + 1,
    });
    const none = stored(0, "concurrency");
    expect(invariantsOf([take("a", 0), free("a", 5), take("b", 5)], none)).toEqual([]);
    expect(invariantsOf([take("a", 0), take("b", 5), free("a", 50)], none)).toEqual(["I5"]);
    expect(invariantsOf([take("a", 0), take("b", 1_001)], none)).toEqual([]);
    expect(invariantsOf([take("a", 0), free("a", 5)], stored(1, "concurrency"))).toEqual(["I5"]);
  });

  it("finds a window that moves, and what comes back by itself", () => {
    const moved = admit("q", 500, [check({ resetAfterMs: 1_000_000 })]);
    expect(invariantsOf([moved], stored(1))).toEqual(["I7"]);
    const back = [...five(3), admit("q", 40, [check({ used: 1, resetAfterMs: 999_960 })])];
    expect(invariantsOf(back, stored(4))).toEqual(["I7"]);
    expect(invariantsOf(back, stored(4), { isOneStep: false })).toEqual([]);
  });

  it("finds a late answer, silence, and a wait that was not enough", () => {
    const slow = admit("q", 0, [check()], { returnedMs: 101 });
    expect(invariantsOf([slow], stored(1))).toEqual(["I8"]);
    const silent = admit("q", 90, [check({ cost: 0 })], { outcome: "info" });
    expect(invariantsOf([...five(), silent], stored(5))).toEqual(["I9"]);
    const retry = admit("q", 9, [], { outcome: "refused", isRetry: true });
    expect(invariantsOf([retry], stored(0))).toEqual(["I10"]);
  });

  it("finds a key that lives for ever", () => {
    const final = { counters: [], timesToLive: [{ key: "k", ttlMs: -1 }] };
    expect(invariantsOf([], final)).toEqual(["I11"]);
  });
});
