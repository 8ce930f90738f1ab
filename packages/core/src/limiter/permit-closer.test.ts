import { describe, expect, it } from "vitest";
import { type FaultyStage, setFaultyStage } from "../../test/store/faulty-stage";
import { expectAdmitted } from "../../test/verdicts";
import { StoreError } from "../error/store-error";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { Limit } from "../limit/limit";
import type { LimiterPermit } from "./permit";

const LEASE_MS = 10_000;
const slots = concurrency({ name: "slots", max: 5, leaseMs: LEASE_MS });
const tokens = fixedWindow({ name: "tokens", unit: "tokens", max: 1_000, windowMs: 3_600_000 });

const question = (limits: readonly Limit[]) => ({
  descriptors: [{ kind: "key", id: "k", limits }],
  cost: { tokens: 100 },
});

async function take(on: FaultyStage, limits: readonly Limit[]): Promise<LimiterPermit> {
  return expectAdmitted(await on.limiter.admit(question(limits)));
}

async function usedOf(on: FaultyStage, limits: readonly Limit[]): Promise<readonly number[]> {
  return (await on.limiter.peek(question(limits))).statuses.map(({ used }) => used);
}

const failuresOf = (on: FaultyStage): readonly string[] =>
  on.events.flatMap((event) => (event.type === "store_failed" ? [event.operation] : []));

const both = [tokens, slots];

describe("A permit whose closing fails", () => {
  it.each(["release", "refund", "settle", "finish"] as const)(
    "resolves all the same, is closed, and reports the failure: %s",
    async (how) => {
      const on = setFaultyStage();
      const permit = await take(on, both);
      on.faulty.failAlways("release");
      on.faulty.failAlways("settle");
      await expect(permit[how]({ tokens: 5 })).resolves.toBeUndefined();
      expect(permit.isClosed).toBe(true);
      expect(on.limiter.heldLeases).toBe(0);
      expect(failuresOf(on)).toHaveLength(1);
      await on.limiter.close();
    },
  );

  it("does not throw either when the store rejects with something else", async () => {
    const on = setFaultyStage();
    const permits = [await take(on, both), await take(on, both)];
    for (const error of [new TypeError("bug"), "text", undefined]) {
      on.faulty.failNext("release", { error });
      on.faulty.failNext("settle", { error });
    }
    await expect(permits[0]?.release()).resolves.toBeUndefined();
    await expect(permits[1]?.settle({ tokens: 5 })).resolves.toBeUndefined();
    await on.clock.advanceAsync(LEASE_MS);
    expect((await usedOf(on, both))[1]).toBe(0);
  });
});

describe("A slot whose release could not be sent", () => {
  it("is retried in the background, after 100 ms, then after twice as long each time", async () => {
    const on = setFaultyStage();
    const permit = await take(on, [slots]);
    on.faulty.failNext("release", {}, 4);
    await permit.release();
    const seenAtMs: number[] = [];
    let seen = on.faulty.callsOf("release").length;
    for (let ms = 0; ms < 5_000; ms += 1) {
      await on.clock.advanceAsync(1);
      const calls = on.faulty.callsOf("release").length;
      if (calls > seen) seenAtMs.push(on.clock.nowMs());
      seen = calls;
    }
    expect(seenAtMs).toEqual([100, 300, 700, 1_500]);
    expect(await usedOf(on, [slots])).toEqual([0]);
    expect(failuresOf(on)).toEqual(["release", "release", "release", "release"]);
  });

  it("is free at once if only the answer was lost, and the retry frees nobody else's", async () => {
    const on = setFaultyStage();
    const one = concurrency({ name: "slots", max: 1, leaseMs: LEASE_MS });
    const permit = await take(on, [one]);
    on.faulty.failNext("release", { isApplied: true });
    await permit.release();
    expect(await usedOf(on, [one])).toEqual([0]);
    await take(on, [one]);
    await on.clock.advanceAsync(1_000);
    expect(on.faulty.callsOf("release")).toHaveLength(2);
    expect(await usedOf(on, [one])).toEqual([1]);
    await on.limiter.close();
  });

  it("is retried until its lease has ended anyway, and not longer", async () => {
    const on = setFaultyStage();
    const permit = await take(on, [slots]);
    on.faulty.failAlways("release");
    await permit.release();
    await on.clock.advanceAsync(LEASE_MS - 1);
    expect(await usedOf(on, [slots])).toEqual([1]);
    await on.clock.advanceAsync(1);
    expect(await usedOf(on, [slots])).toEqual([0]);
    await on.clock.advanceAsync(10_000);
    const calls = on.faulty.callsOf("release").length;
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("release")).toHaveLength(calls);
    expect(on.clock.isIdle).toBe(true);
  });

  it("waits for at most 5 s between two tries", async () => {
    const on = setFaultyStage();
    const long = concurrency({ name: "slots", max: 5, leaseMs: 3_600_000 });
    const permit = await take(on, [long]);
    on.faulty.failAlways("release");
    await permit.release();
    await on.clock.advanceAsync(600_000);
    on.faulty.recover();
    await on.clock.advanceAsync(5_000);
    expect(await usedOf(on, [long])).toEqual([0]);
    const calls = on.faulty.callsOf("release").length;
    await on.clock.runUntilIdle();
    expect(on.faulty.callsOf("release")).toHaveLength(calls);
  });

  it("asks nothing of the store for a permit without slots", async () => {
    const on = setFaultyStage();
    const permit = await take(on, [tokens]);
    await permit.release();
    expect(on.faulty.callsOf("release")).toHaveLength(0);
    expect(await usedOf(on, [tokens])).toEqual([100]);
  });
});

describe("A settle whose answer is lost", () => {
  it("is not sent again, since it may have executed", async () => {
    const on = setFaultyStage();
    const permit = await take(on, [tokens]);
    on.faulty.failNext("settle", { isApplied: true });
    await permit.settle({ tokens: 30 });
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(1);
    expect(await usedOf(on, [tokens])).toEqual([30]);
  });

  it("is not sent again when it did not execute and the store does not know", async () => {
    const on = setFaultyStage();
    const permit = await take(on, [tokens]);
    on.faulty.failNext("settle", { isRetryable: false });
    await permit.settle({ tokens: 30 });
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(1);
    expect(await usedOf(on, [tokens])).toEqual([100]);
  });

  it.each([true, false])("still frees its slots (settle executed: %s)", async (isApplied) => {
    const on = setFaultyStage();
    const permit = await take(on, both);
    on.faulty.failNext("settle", { isApplied, isRetryable: false });
    await permit.settle({ tokens: 30 });
    await on.clock.advanceAsync(100);
    expect(on.faulty.callsOf("settle")).toHaveLength(1);
    expect(await usedOf(on, both)).toEqual([isApplied ? 30 : 100, 0]);
  });
});

describe("A settle that surely did not execute", () => {
  it("is sent again until it does, and corrects once", async () => {
    const on = setFaultyStage();
    const permit = await take(on, both);
    on.faulty.failNext("settle", {}, 5);
    await permit.settle({ tokens: 30 });
    expect(await usedOf(on, both)).toEqual([100, 1]);
    await on.clock.advanceAsync(3_100);
    expect(await usedOf(on, both)).toEqual([30, 0]);
    expect(on.faulty.callsOf("settle")).toHaveLength(6);
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(6);
    expect(await usedOf(on, both)).toEqual([30, 0]);
  });

  it("is not sent again after a try whose fate is unknown", async () => {
    const on = setFaultyStage();
    const permit = await take(on, both);
    on.faulty.failNext("settle");
    on.faulty.failNext("settle", { isApplied: true });
    await permit.settle({ tokens: 30 });
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(2);
    expect(await usedOf(on, both)).toEqual([30, 0]);
  });

  it("is given up after a minute, but its slot is not, as long as the lease lasts", async () => {
    const on = setFaultyStage();
    const long = concurrency({ name: "slots", max: 5, leaseMs: 3_600_000 });
    const permit = await take(on, [tokens, long]);
    on.faulty.failAlways("settle");
    on.faulty.failAlways("release");
    await permit.settle({ tokens: 30 });
    await on.clock.advanceAsync(120_000);
    const settles = on.faulty.callsOf("settle").length;
    on.faulty.recover();
    await on.clock.advanceAsync(10_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(settles);
    expect(await usedOf(on, [tokens, long])).toEqual([100, 0]);
    expect(on.clock.pendingTimers).toBe(1);
  });

  it("is sent again for the targets that it did not reach, and corrects each once", async () => {
    const on = setFaultyStage();
    const ids = ["reached", "unreached"];
    const descriptors = ids.map((id) => ({ kind: "key", id, limits: both }));
    const cost = { tokens: 100 };
    const permit = expectAdmitted(await on.limiter.admit({ descriptors, cost }));
    const settle = on.faulty.settle;
    on.faulty.settle = async (command) => {
      on.faulty.settle = settle;
      await settle({ ...command, targets: command.targets.slice(0, 1) });
      const details = { code: "SLUICE_STORE_UNREACHABLE", operation: "settle" } as const;
      throw new StoreError("half", { ...details, isRetryable: false, unexecuted: [1] });
    };
    await permit.settle({ tokens: 30 });
    const used = async () =>
      (await on.limiter.peek({ descriptors, cost })).statuses.map((status) => status.used);
    expect(await used()).toEqual([30, 0, 100, 1]);
    await on.clock.advanceAsync(100);
    expect(await used()).toEqual([30, 0, 30, 0]);
    await on.clock.advanceAsync(1_000_000);
    expect(on.faulty.callsOf("settle")).toHaveLength(2);
  });

  it("goes on after a store that throws instead of rejecting", async () => {
    const on = setFaultyStage();
    const permit = await take(on, both);
    on.faulty.failNext("settle");
    await permit.settle({ tokens: 30 });
    const settle = on.faulty.settle;
    on.faulty.settle = () => {
      on.faulty.settle = settle;
      throw new TypeError("not connected");
    };
    await on.clock.advanceAsync(LEASE_MS);
    expect((await usedOf(on, both))[1]).toBe(0);
  });
});
