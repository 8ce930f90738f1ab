import { describe, expect, it } from "vitest";
import { EnginePlay } from "../../test/engine/engine-play";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import { slidingWindow } from "../limit/sliding-window";
import { tokenBucket } from "../limit/token-bucket";
import { chainExpiresAtMs } from "./chain";

const requests = fixedWindow({ name: "rpm", max: 2, windowMs: 100 });
const tokens = fixedWindow({ name: "tpm", unit: "tokens", max: 5, windowMs: 1000 });
const slots = concurrency({ max: 2, leaseMs: 1000 });

describe("admit", () => {
  it("charges all limits of all descriptors or none", () => {
    const engine = new EnginePlay();
    engine.admit(0, [requests], 2, { ids: ["b"] });
    const refused = engine.admit(1, [requests, tokens], 1, { ids: ["a", "b"] });
    expect(refused.admitted).toBe(false);
    expect(refused.checks.map(({ passes }) => passes)).toEqual([true, true, false, true]);
    expect(engine.state("a")).toBeNull();
    const admitted = engine.admit(100, [requests, tokens], 1, { ids: ["a", "b"] });
    expect(admitted.checks.map(({ used }) => used)).toEqual([1, 1, 1, 1]);
  });

  it("gives back the very states of a refusal", () => {
    const engine = new EnginePlay();
    engine.admit(0, [requests], 2);
    const before = engine.state();
    engine.admit(50, [requests]);
    expect(engine.state()).toBe(before);
  });

  it("leaves limits alone that it does not name, and drops them once they have expired", () => {
    const engine = new EnginePlay();
    engine.admit(0, [requests, tokens, slots]);
    engine.admit(50, [tokens]);
    expect(engine.peek(50, [requests], 0).checks[0]?.used).toBe(1);
    engine.admit(100, [tokens]);
    expect(JSON.stringify(engine.state())).not.toContain("rpm");
    expect(engine.peek(100, [slots]).checks[0]?.used).toBe(1);
  });

  it("lives as long as the longest of its limits", () => {
    const engine = new EnginePlay();
    engine.admit(7, [requests, tokens]);
    expect(chainExpiresAtMs(engine.state())).toBe(1007);
  });

  it("says which live state of another shape it replaced, once it charges", () => {
    const engine = new EnginePlay();
    const asBucket = tokenBucket({ name: "rpm", capacity: 2, refill: 1, perMs: 100 });
    engine.admit(0, [requests], 2);
    expect(engine.peek(1, [asBucket]).admitted).toBe(true);
    expect(engine.admit(1, [asBucket], 3).replaced).toBeUndefined();
    expect(engine.peek(1, [requests]).admitted).toBe(false);
    expect(engine.admit(1, [asBucket]).replaced).toEqual([{ kind: "k", id: "a", limit: "rpm" }]);
    expect(engine.admit(1, [asBucket]).replaced).toBeUndefined();
    const coarse = slidingWindow({ name: "s", max: 2, windowMs: 100, buckets: 2 });
    const fine = slidingWindow({ name: "s", max: 2, windowMs: 100, buckets: 4 });
    engine.admit(1, [coarse]);
    expect(engine.admit(1, [fine]).replaced).toHaveLength(1);
    expect(engine.admit(1000, [coarse]).replaced).toBeUndefined();
  });

  it("takes max from the question: lowered at once, raised at once", () => {
    const engine = new EnginePlay();
    const wide = fixedWindow({ name: "rpm", max: 9, windowMs: 100 });
    engine.admit(0, [wide], 5);
    expect(engine.admit(1, [requests]).checks[0]).toMatchObject({ passes: false, used: 5 });
    expect(engine.admit(1, [wide], 4).admitted).toBe(true);
  });
});

describe("slots", () => {
  it("are as many as leases are live, each with its own expiry", () => {
    const engine = new EnginePlay();
    engine.admit(0, [slots], 1, { operationId: "x" });
    engine.admit(400, [slots], 1, { operationId: "y" });
    expect(engine.admit(999, [slots]).checks[0]).toMatchObject({
      passes: false,
      used: 2,
      resetAfterMs: 401,
      retryAfterMs: undefined,
    });
    expect(engine.admit(1000, [slots], 1, { operationId: "z" }).checks[0]).toMatchObject({
      passes: true,
      used: 2,
      chargedAt: 2000,
    });
    expect(engine.state()).toMatchObject({ ids: ["y", "z"], expiriesMs: [1400, 2000] });
  });

  it("are freed by id; an unknown or freed id changes nothing", () => {
    const engine = new EnginePlay();
    engine.admit(0, [slots], 1, { operationId: "x" });
    engine.admit(0, [slots], 1, { operationId: "y" });
    const before = engine.state();
    engine.release(1, slots, "nobody");
    expect(engine.state()).toBe(before);
    engine.release(1, slots, "x");
    engine.release(1, slots, "x");
    expect(engine.peek(1, [slots]).checks[0]?.used).toBe(1);
    engine.settle(1, slots, undefined, 1, 0, "y");
    expect(engine.state()).toBeNull();
  });

  it("are renewed while live, lost once expired, and adopted when missing before their time", () => {
    const engine = new EnginePlay();
    engine.admit(0, [slots], 1, { operationId: "x" });
    engine.admit(0, [slots], 1, { operationId: "y" });
    const lease = (operationId: string, expiresAtMs: number) => ({ operationId, expiresAtMs });
    expect(engine.renew(999, slots, [lease("x", 1000)])).toEqual([
      { fate: "renewed", expiresAtMs: 1999 },
    ]);
    expect(engine.renew(1000, slots, [lease("y", 1000), lease("gone", 1500)])).toEqual([
      { fate: "lost", expiresAtMs: 1000 },
      { fate: "adopted", expiresAtMs: 2000 },
    ]);
    // y was lost although it was still stored; nothing takes it again.
    expect(engine.renew(1000, slots, [lease("y", 5000)])[0]?.fate).toBe("adopted");
    expect(engine.peek(1000, [slots]).checks[0]?.used).toBe(3);
    expect(engine.admit(1998, [slots]).admitted).toBe(false);
  });

  it("keep a long lease beside shorter ones, and cut expiries that a step back left behind", () => {
    const engine = new EnginePlay();
    const long = concurrency({ max: 3, leaseMs: 5000 });
    engine.admit(0, [long], 1, { operationId: "long" });
    engine.admit(1, [slots], 1, { operationId: "short" });
    expect(engine.state()).toMatchObject({ ids: ["short", "long"], expiriesMs: [1001, 5000] });
    engine.admit(100_000, [slots], 1, { operationId: "crashed" });
    engine.admit(100_000, [slots], 1, { operationId: "crashed too" });
    expect(engine.admit(0, [slots]).admitted).toBe(false);
    expect(engine.admit(999, [slots]).admitted).toBe(false);
    expect(engine.admit(1000, [slots]).admitted).toBe(true);
  });
});

describe("reset", () => {
  it("forgets counters and keeps leases", () => {
    const engine = new EnginePlay();
    engine.admit(0, [requests, tokens, slots]);
    engine.reset(1);
    expect(engine.peek(1, [requests, tokens, slots]).checks.map(({ used }) => used)).toEqual([
      0, 0, 1,
    ]);
    engine.reset(1000);
    expect(engine.state()).toBeNull();
  });

  it("lets no refund of before it into what is charged after it", () => {
    const engine = new EnginePlay();
    const { checks } = engine.admit(0, [requests], 1);
    engine.reset(0);
    engine.admit(0, [requests], 2);
    engine.settle(0, requests, checks[0], 1, 0);
    expect(engine.peek(0, [requests], 0).checks[0]?.used).toBe(2);
  });
});

describe("settle", () => {
  it("leaves state alone that a limit of another shape has written since", () => {
    const engine = new EnginePlay();
    const other = fixedWindow({ name: "rpm", unit: "tokens", max: 9, windowMs: 100 });
    const { checks } = engine.admit(0, [requests]);
    engine.admit(0, [other], 4);
    engine.settle(1, requests, checks[0], 1, 3);
    expect(engine.peek(1, [other], 0).checks[0]?.used).toBe(4);
  });

  it("changes nothing where nothing is to be corrected", () => {
    const engine = new EnginePlay();
    const { checks } = engine.admit(0, [requests]);
    const before = engine.state();
    engine.settle(1, requests, checks[0], 1, 1);
    expect(engine.state()).toBe(before);
    engine.settle(200, requests, checks[0], 1, 1);
    expect(engine.state()).toBe(before);
  });
});

describe("A counter and slots of one name", () => {
  it("stay apart in a descriptor", () => {
    const engine = new EnginePlay();
    const counter = fixedWindow({ name: "same", max: 5, windowMs: 10_000 });
    const leases = concurrency({ name: "same", max: 5, leaseMs: 1000 });
    engine.admit(0, [counter], 3);
    expect(engine.admit(0, [leases], 1, { operationId: "x" }).replaced).toBeUndefined();
    expect(engine.peek(0, [counter], 0).checks[0]?.used).toBe(3);
    engine.reset(0);
    expect(engine.peek(0, [counter], 0).checks[0]?.used).toBe(0);
    expect(engine.peek(0, [leases], 0).checks[0]?.used).toBe(1);
    engine.admit(0, [counter], 2);
    engine.release(0, leases, "x");
    expect(engine.peek(0, [leases], 0).checks[0]?.used).toBe(0);
    expect(engine.peek(0, [counter], 0).checks[0]?.used).toBe(2);
  });
});

describe("A settlement with a record", () => {
  it("that arrives twice is applied once, until its record is over", () => {
    const engine = new EnginePlay();
    const long = fixedWindow({ name: "long", max: 100, windowMs: 10_000 });
    for (const atMs of [0, 1, 499]) engine.settle(atMs, long, undefined, 0, 7, "report", 500);
    expect(engine.peek(499, [long], 0).checks[0]?.used).toBe(7);
    engine.settle(500, long, undefined, 0, 7, "report", 500);
    expect(engine.peek(500, [long], 0).checks[0]?.used).toBe(14);
  });
});

describe("undo", () => {
  const undoable = { operationId: "op", undoableForMs: 500 };

  it("takes back by id what an undoable admit charged, once", () => {
    const engine = new EnginePlay();
    engine.admit(0, [requests, tokens, slots], 1, undoable);
    engine.admit(0, [requests, tokens]);
    expect(engine.undo(1, [requests, tokens, slots], "op").undone).toEqual([true]);
    expect(engine.undo(2, [requests, tokens, slots], "op").undone).toEqual([false]);
    const { checks } = engine.peek(2, [requests, tokens, slots], 0);
    expect(checks.map(({ used }) => used)).toEqual([1, 1, 0]);
  });

  it("that comes first keeps the admit from charging when it arrives", () => {
    const engine = new EnginePlay();
    expect(engine.undo(0, [requests], "op", 50).undone).toEqual([false]);
    const late = engine.admit(49, [requests], 1, undoable);
    expect(late).toMatchObject({ admitted: false, undone: true });
    expect(late.checks[0]?.used).toBe(0);
    expect(engine.admit(50, [requests], 1, undoable).admitted).toBe(true);
  });

  it("knows an operation that arrives twice and charges it once", () => {
    const engine = new EnginePlay();
    const first = engine.admit(0, [requests, slots], 2, undoable);
    const again = engine.admit(1, [requests, slots], 2, undoable);
    expect(again.admitted).toBe(true);
    expect(again.checks.map(({ passes, used }) => [passes, used])).toEqual([
      [true, 2],
      [true, 1],
    ]);
    expect(again.checks.map(({ chargedAt, serial }) => [chargedAt, serial])).toEqual(
      first.checks.map(({ chargedAt, serial }) => [chargedAt, serial]),
    );
  });

  it("tells an operation that arrives twice what each limit was charged, and that some were not", () => {
    const engine = new EnginePlay();
    const full = fixedWindow({ name: "full", max: 1, windowMs: 500, mode: "shadow" });
    engine.admit(0, [full]);
    const first = engine.admit(0, [requests, full, tokens, slots], 1, undoable);
    const again = engine.admit(1, [requests, full, tokens, slots], 1, undoable);
    expect(again.checks.map(({ chargedAt }) => chargedAt)).toEqual([0, undefined, 0, 1000]);
    expect(again.checks.map(({ passes }) => passes)).toEqual([true, false, true, true]);
    expect(again.checks.map(({ serial }) => serial)).toEqual(
      first.checks.map(({ serial }) => serial),
    );
  });

  it("finds no record any more after its time, and the charge stands", () => {
    const engine = new EnginePlay();
    const long = fixedWindow({ name: "long", max: 2, windowMs: 10_000 });
    engine.admit(0, [long], 1, undoable);
    expect(engine.undo(500, [long], "op").undone).toEqual([false]);
    expect(engine.peek(500, [long], 0).checks[0]?.used).toBe(1);
  });

  it("leaves a limit of another shape alone that took the name meanwhile", () => {
    const engine = new EnginePlay();
    const old = fixedWindow({ name: "same", max: 5, windowMs: 10_000 });
    const young = fixedWindow({ name: "same", max: 5, windowMs: 20_000 });
    engine.admit(0, [old], 1, undoable);
    engine.admit(1, [young], 2);
    engine.undo(2, [old], "op");
    expect(engine.peek(2, [young], 0).checks[0]?.used).toBe(2);
  });

  it("leaves nothing behind for ever", () => {
    const engine = new EnginePlay();
    engine.undo(0, [requests], "op", 700);
    expect(chainExpiresAtMs(engine.state())).toBe(700);
    engine.admit(800, [requests]);
    expect(JSON.stringify(engine.state())).not.toContain("operations");
  });
});
