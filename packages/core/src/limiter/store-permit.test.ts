import { describe, expect, it } from "vitest";
import { setFaultyStage } from "../../test/store/faulty-stage";
import { expectAdmitted } from "../../test/verdicts";
import { PermitStateError } from "../error/permit-state-error";
import type { PermitClosedEvent, SluiceEvent } from "../event/event";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { Limit } from "../limit/limit";
import type { LimiterPermit } from "./permit";
import type { Cost } from "./question";

const WINDOW_MS = 60_000;
const requests = fixedWindow({ name: "requests", max: 100, windowMs: WINDOW_MS });
const tokens = fixedWindow({ name: "tokens", unit: "tokens", max: 100, windowMs: WINDOW_MS });
const slots = concurrency({ name: "slots", max: 5 });
const all: readonly Limit[] = [requests, tokens, slots];

async function stageWithPermit(limits = all, cost: Cost = { requests: 2, tokens: 50 }) {
  const on = setFaultyStage();
  const question = { descriptors: [{ kind: "key", id: "k", limits }], cost };
  const permit = expectAdmitted(await on.limiter.admit(question));
  const used = async () => (await on.limiter.peek(question)).statuses.map((each) => each.used);
  return { ...on, permit, used };
}

const closingsOf = (events: readonly SluiceEvent[]): PermitClosedEvent[] =>
  events.filter((event) => event.type === "permit_closed");

describe("A permit", () => {
  it("reserves what the question cost", async () => {
    const { used, limiter } = await stageWithPermit();
    expect(await used()).toEqual([2, 50, 1]);
    await limiter.close();
  });

  it.each([
    { how: "settle down", actual: { tokens: 10 }, left: [2, 10, 0] },
    { how: "settle up", actual: { tokens: 500 }, left: [2, 500, 0] },
    { how: "settle to what was reserved", actual: { requests: 2, tokens: 50 }, left: [2, 50, 0] },
    { how: "settle to nothing", actual: { requests: 0, tokens: 0 }, left: [0, 0, 0] },
    { how: "settle without a unit", actual: {}, left: [2, 50, 0] },
  ])("corrects the units that are named, and frees its slots: $how", async ({ actual, left }) => {
    const { permit, used, events } = await stageWithPermit();
    await permit.settle(actual);
    expect(await used()).toEqual(left);
    expect(closingsOf(events)).toEqual([
      { type: "permit_closed", permitId: permit.id, how: "settled" },
    ]);
  });

  it("that is released keeps its reservation", async () => {
    const { permit, used, events } = await stageWithPermit();
    await permit.release();
    expect(await used()).toEqual([2, 50, 0]);
    expect(closingsOf(events)).toMatchObject([{ how: "released" }]);
  });

  it("that is refunded takes everything back", async () => {
    const { permit, used, events } = await stageWithPermit();
    await permit.refund();
    expect(await used()).toEqual([0, 0, 0]);
    expect(closingsOf(events)).toMatchObject([{ how: "refunded" }]);
  });

  it("says whether it was closed", async () => {
    const { permit } = await stageWithPermit();
    expect(permit.isClosed).toBe(false);
    const closing = permit.release();
    expect(permit.isClosed).toBe(true);
    await closing;
  });

  it("does not keep the amounts of its caller, which may change", async () => {
    const { permit, used, faulty } = await stageWithPermit();
    const actual = { tokens: 10 };
    faulty.failNext("settle");
    const closing = permit.settle(actual);
    actual.tokens = 90;
    await closing;
    expect(faulty.callsOf("settle")[0]?.targets[0]?.corrections).toMatchObject([
      { charged: 50, actual: 10 },
      { limit: slots },
    ]);
    expect(await used()).toEqual([2, 50, 1]);
  });
});

describe("What a handler notes", () => {
  it("is settled at the end of the response, and costs no call until then", async () => {
    const { permit, used, faulty } = await stageWithPermit();
    expect(permit.hasNotes).toBe(false);
    permit.usage({ tokens: 1 });
    permit.usage({ tokens: 7 });
    expect(permit.hasNotes).toBe(true);
    expect(faulty.callsOf("settle")).toHaveLength(0);
    await permit.finish();
    expect(await used()).toEqual([2, 7, 0]);
  });

  it("is a refund if it asked for one, whatever else it noted", async () => {
    const { permit, used, events } = await stageWithPermit();
    permit.refundAtEnd();
    permit.usage({ tokens: 7 });
    expect(permit.hasNotes).toBe(true);
    await permit.finish();
    expect(await used()).toEqual([0, 0, 0]);
    expect(closingsOf(events)).toMatchObject([{ how: "refunded" }]);
  });

  it("is nothing: the response is then released as reserved", async () => {
    const { permit, used, events } = await stageWithPermit();
    await permit.finish();
    expect(await used()).toEqual([2, 50, 0]);
    expect(closingsOf(events)).toMatchObject([{ how: "released" }]);
  });

  it("after the permit was closed changes nothing", async () => {
    const { permit, used, events } = await stageWithPermit();
    await permit.release();
    permit.usage({ tokens: 7 });
    permit.refundAtEnd();
    await permit.finish();
    expect(await used()).toEqual([2, 50, 0]);
    expect(closingsOf(events)).toHaveLength(1);
  });
});

describe("A unit whose cost is undefined", () => {
  it("is one that was not named: its reservation stands", async () => {
    const { permit, used } = await stageWithPermit();
    permit.usage({ tokens: undefined } as unknown as Cost);
    await permit.finish();
    expect(await used()).toEqual([2, 50, 0]);
  });
});

describe("A cost that is none", () => {
  const junk: readonly unknown[] = [
    undefined,
    null,
    5,
    "5",
    [],
    [5],
    () => {},
    { tokens: Number.NaN },
    { tokens: Number.POSITIVE_INFINITY },
    { tokens: -1 },
    { tokens: 1.5 },
    { tokens: "5" },
    { tokens: null },
    { tokens: 2 ** 53 },
    { tokens: 5n },
    { slots: 1 },
    { Tokens: 5 },
    { points: 5 },
    { constructor: 5 },
    JSON.parse('{ "__proto__": 5 }'),
    { tokens: 5, requests: -1 },
  ];

  it.each(junk)("is refused by settle and leaves the permit open: %s", async (cost) => {
    const { permit, used, limiter } = await stageWithPermit();
    await expect(permit.settle(cost as Cost)).rejects.toThrow(PermitStateError);
    await expect(permit.settle(cost as Cost)).rejects.toMatchObject({ permitId: permit.id });
    expect(permit.isClosed).toBe(false);
    expect(await used()).toEqual([2, 50, 1]);
    await permit.settle({ tokens: 1 });
    expect(await used()).toEqual([2, 1, 0]);
    await limiter.close();
  });

  it.each(junk)("is refused by usage and noted nowhere: %s", async (cost) => {
    const { permit, used } = await stageWithPermit();
    permit.usage({ tokens: 3 });
    expect(() => permit.usage(cost as Cost)).toThrow(PermitStateError);
    await permit.finish();
    expect(await used()).toEqual([2, 3, 0]);
  });

  it("is explained: what was expected, and what came", async () => {
    const { permit, limiter } = await stageWithPermit();
    const settle = (cost: unknown) => permit.settle(cost as Cost);
    await expect(settle({ tokens: "5" })).rejects.toThrow(
      'Expected a non-negative integer of tokens, received "5" (string)',
    );
    await expect(settle({ points: 5 })).rejects.toThrow(
      'Expected a declared unit (requests, tokens), received "points" (string)',
    );
    await expect(settle(null)).rejects.toThrow("Expected units and costs, received null");
    await limiter.close();
  });
});

describe("A unit", () => {
  it("called like a property of every object is settled only when it is named", async () => {
    const on = setFaultyStage({ units: ["requests", "constructor"] });
    const limit = fixedWindow({ unit: "constructor", max: 10, windowMs: WINDOW_MS });
    const question = {
      descriptors: [{ kind: "key", id: "k", limits: [limit] }],
      cost: { constructor: 4 } as unknown as Cost,
    };
    const permits: LimiterPermit[] = [];
    for (let count = 0; count < 2; count += 1) {
      permits.push(expectAdmitted(await on.limiter.admit(question)));
    }
    await permits[0]?.settle({ requests: 1 });
    expect((await on.limiter.peek(question)).statuses).toMatchObject([{ used: 8 }]);
    await permits[1]?.settle({ constructor: 1 } as unknown as Cost);
    expect((await on.limiter.peek(question)).statuses).toMatchObject([{ used: 5 }]);
  });

  it("that the question did not cost is charged when it is settled", async () => {
    const { permit, used } = await stageWithPermit([requests, tokens], {});
    expect(await used()).toEqual([1, 0]);
    await permit.settle({ tokens: 30 });
    expect(await used()).toEqual([1, 30]);
  });
});
