import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { StoreError } from "../../error/store-error";
import type { SluiceEvent } from "../../event/event";
import { concurrency } from "../../limit/concurrency";
import { fixedWindow } from "../../limit/fixed-window";
import type { Limit } from "../../limit/limit";
import { slidingLog } from "../../limit/sliding-log";
import { EVICTION_SAMPLE } from "./memory-entries";
import { memoryStore } from "./memory-store";

const WINDOW_MS = 60_000;
const counter = fixedWindow({ name: "counter", max: 100, windowMs: WINDOW_MS });
const slot = concurrency({ name: "slot", max: 5, leaseMs: 10_000 });

/** A store on a fake clock, and what it is asked most. */
function setStore(maxKeys?: number, seed = 1) {
  const clock = new FakeClock();
  const events: SluiceEvent[] = [];
  const recorder = { record: (event: SluiceEvent) => void events.push(event) };
  const options = { clock, random: seededRandom(seed), recorder };
  const store = memoryStore(maxKeys === undefined ? options : { ...options, maxKeys });
  let serial = 0;
  const targetsOf = (limits: readonly Limit[], ids: readonly string[]) =>
    ids.map((id) => ({ kind: "key", id, limits }));
  const charge = (limit: Limit, ...ids: readonly string[]) => {
    serial += 1;
    return store.admit({
      type: "admit",
      operationId: `operation-${serial}`,
      serial,
      cost: { requests: 1, tokens: 0 },
      targets: targetsOf([limit], ids),
    });
  };
  const usedOf = async (limit: Limit, id: string) => {
    const targets = targetsOf([limit], [id]);
    const reply = await store.peek({ type: "peek", cost: { requests: 1, tokens: 0 }, targets });
    return reply.checks[0]?.used;
  };
  const evicted = () => events.flatMap((event) => (event.type === "key_evicted" ? event.key : []));
  return { clock, store, charge, usedOf, evicted };
}

describe("A memory store", () => {
  it("has no timer before anything is written, and none after all has expired", async () => {
    const { clock, store, charge } = setStore();
    expect(clock.isIdle).toBe(true);
    await charge(counter, "a");
    expect(clock.pendingTimers).toBe(1);
    await clock.runUntilIdle();
    expect(store.size).toBe(0);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(WINDOW_MS);
    expect(clock.nowMs()).toBeLessThan(WINDOW_MS + 2_000);
  });

  it("has no timer after a question that wrote nothing", async () => {
    const { clock, store, usedOf, charge } = setStore();
    expect(await usedOf(counter, "a")).toBe(0);
    await charge(fixedWindow({ name: "none", max: 0, windowMs: 1_000 }), "a");
    expect(clock.isIdle).toBe(true);
    expect(store.size).toBe(0);
  });

  it("has one timer, however many keys there are and however often they are hit", async () => {
    const { clock, charge } = setStore();
    for (let hit = 0; hit < 3_000; hit += 1) {
      await charge(counter, `key-${hit % 1_000}`);
      if (hit % 100 === 0) await clock.advanceAsync(1_000);
      expect(clock.pendingTimers).toBe(1);
    }
  });

  it("counts its keys", async () => {
    const { store, charge } = setStore();
    await charge(counter, "a", "b", "c");
    await charge(counter, "c", "d");
    expect(store.size).toBe(4);
  });

  it("answers admitNow as admit", async () => {
    const { store, usedOf } = setStore();
    const targets = [{ kind: "key", id: "a", limits: [counter] }];
    const command = { type: "admit", operationId: "", serial: 1, targets } as const;
    const reply = store.admitNow?.({ ...command, cost: { requests: 3, tokens: 0 } });
    expect(reply).toMatchObject({ admitted: true, checks: [{ passes: true, used: 3 }] });
    expect(await usedOf(counter, "a")).toBe(3);
  });
});

describe("Sweeping", () => {
  it("drops keys at most a round after they expired, without being asked for them", async () => {
    const { clock, store, charge } = setStore();
    for (let key = 0; key < 200; key += 1) {
      await charge(counter, `key-${key}`);
      await clock.advanceAsync(100);
    }
    // The first expires at 60 000, the last at 79 900.
    await clock.advanceAsync(WINDOW_MS - 20_000 + 10_000 + 2_000);
    expect(store.size).toBeGreaterThan(0);
    expect(store.size).toBeLessThanOrEqual(101);
    await clock.advanceAsync(12_000);
    expect(store.size).toBe(0);
    expect(clock.isIdle).toBe(true);
  });

  it("looks at no more than 250 keys in one turn", async () => {
    const { clock, store, charge } = setStore();
    for (let key = 0; key < 1_100; key += 1) await charge(counter, `key-${key}`);
    const dropped: number[] = [];
    let size = store.size;
    while (store.size > 0) {
      const next = clock.nextDueMs;
      if (next === undefined) throw new Error("expected a timer while there are keys");
      await clock.advanceAsync(next - clock.nowMs());
      if (store.size < size) dropped.push(size - store.size);
      size = store.size;
    }
    expect(dropped).toEqual([250, 250, 250, 250, 100]);
  });

  it("keeps what lives longer, and comes back for it", async () => {
    const { clock, store, charge, usedOf } = setStore();
    const hour = fixedWindow({ name: "hour", max: 100, windowMs: 3_600_000 });
    await charge(counter, "minute-1");
    await charge(hour, "hour-1");
    await clock.advanceAsync(WINDOW_MS + 2_000);
    expect(store.size).toBe(1);
    expect(await usedOf(hour, "hour-1")).toBe(1);
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceAsync(3_600_000);
    expect(store.size).toBe(0);
    expect(clock.isIdle).toBe(true);
  });

  it("finds a key that was written during a round", async () => {
    const { clock, store, charge } = setStore();
    for (let key = 0; key < 3_000; key += 1) await charge(counter, `key-${key}`);
    await clock.advanceAsync(WINDOW_MS + 7);
    expect(store.size).toBeGreaterThan(0);
    expect(store.size).toBeLessThan(3_000);
    await charge(slidingLog({ name: "late", max: 1, windowMs: 500 }), "late");
    await clock.advanceAsync(5_000);
    expect(store.size).toBe(0);
    expect(clock.isIdle).toBe(true);
  });

  it("comes back for a key that moved behind the round's back, by taking its first slot", async () => {
    const { clock, store, charge } = setStore();
    await charge(counter, "a");
    await clock.advanceAsync(WINDOW_MS);
    // The round has begun: it has seen the keys with leases, and not yet the others.
    await charge(slot, "a");
    await clock.advanceAsync(3_600_000);
    expect(store.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("drops a key whose lease ended, and of others only the lease", async () => {
    const { clock, store, charge } = setStore();
    await charge(slot, "slot-only");
    await charge(slot, "both");
    await charge(counter, "both");
    await clock.advanceAsync(12_000);
    expect(store.size).toBe(1);
    await clock.advanceAsync(WINDOW_MS);
    expect(store.size).toBe(0);
  });
});

describe("Eviction", () => {
  it("takes the least used of its sample", async () => {
    expect(EVICTION_SAMPLE).toBe(16);
    const { store, charge, usedOf, evicted } = setStore(16);
    for (let key = 0; key < 16; key += 1) {
      for (let hit = 0; hit <= (key + 3) % 16; hit += 1) await charge(counter, `key-${key}`);
    }
    await charge(counter, "new-1");
    // Key 13 was hit once; the new one is now the least used but was not there to be taken.
    expect(evicted()).toEqual(["key:key-13"]);
    expect(await usedOf(counter, "key-13")).toBe(0);
    expect(await usedOf(counter, "key-12")).toBe(16);
    expect(store.size).toBe(16);
  });

  it("takes what has expired first, and does not call that an eviction", async () => {
    const { clock, store, charge, usedOf, evicted } = setStore(16);
    const brief = fixedWindow({ name: "brief", max: 1, windowMs: 500 });
    for (let key = 0; key < 15; key += 1) await charge(counter, `key-${key}`);
    await charge(brief, "brief");
    // Expired, but the sweeper comes a second after the first write at the earliest.
    await clock.advanceAsync(500);
    expect(store.size).toBe(16);
    await charge(counter, "new-1");
    expect(evicted()).toEqual([]);
    for (let key = 0; key < 15; key += 1) expect(await usedOf(counter, `key-${key}`)).toBe(1);
    await charge(counter, "new-2");
    expect(evicted()).toHaveLength(1);
  });

  it("never takes the keys of the question that needs the room", async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { store, charge, usedOf } = setStore(3, seed);
      await charge(counter, "a", "b", "c");
      expect((await charge(counter, "a", "b", "new")).admitted).toBe(true);
      expect(await usedOf(counter, "a")).toBe(2);
      expect(await usedOf(counter, "b")).toBe(2);
      expect(await usedOf(counter, "new")).toBe(1);
      expect(store.size).toBe(3);
    }
  });

  it("never takes a key that holds leases, and refuses when nothing else is left", async () => {
    const { clock, store, charge, usedOf, evicted } = setStore(4);
    await charge(slot, "a", "b", "c");
    await charge(counter, "d");
    await charge(counter, "e");
    expect(evicted()).toEqual(["key:d"]);
    await charge(slot, "e");
    const refused = charge(counter, "f");
    await expect(refused).rejects.toThrow(StoreError);
    await expect(refused).rejects.toMatchObject({
      code: "SLUICE_STORE_FULL",
      operation: "admit",
      isRetryable: true,
    });
    expect(await usedOf(counter, "f")).toBe(0);
    // Keys that are there are served, and leases that have ended make room.
    expect((await charge(counter, "a")).admitted).toBe(true);
    clock.advance(10_000);
    expect((await charge(counter, "f")).admitted).toBe(true);
    expect(store.size).toBeLessThanOrEqual(4);
  });

  it("refuses a question of more new keys than it may hold", async () => {
    const { store, charge } = setStore(2);
    await expect(charge(counter, "a", "b", "c")).rejects.toMatchObject({
      code: "SLUICE_STORE_FULL",
    });
    expect(store.size).toBeLessThanOrEqual(2);
    expect((await charge(counter, "a", "b")).admitted).toBe(true);
  });

  it("needs no room for what writes nothing", async () => {
    const { store, charge, usedOf, evicted } = setStore(1);
    await charge(slot, "a");
    expect(await usedOf(counter, "b")).toBe(0);
    const none = fixedWindow({ name: "none", max: 0, windowMs: 1_000 });
    expect((await charge(none, "b")).admitted).toBe(false);
    expect(store.size).toBe(1);
    expect(evicted()).toEqual([]);
  });
});

describe("Leases of one key", () => {
  it("that a store forgot are entered again together, however few keys it may hold", async () => {
    const { store, usedOf } = setStore(1);
    const leases = ["a", "b", "c"].map((operationId) => ({
      limit: slot,
      operationId,
      expiresAtMs: 5_000,
    }));
    const targets = [{ kind: "key", id: "k", leases }];
    const reply = await store.renew({ type: "renew", serial: 1, targets });
    expect(reply.leases.map(({ fate }) => fate)).toEqual(["adopted", "adopted", "adopted"]);
    expect(await usedOf(slot, "k")).toBe(3);
  });
});

describe("A memory store that is closed", () => {
  it("has neither keys nor timers, and refuses to admit", async () => {
    const { clock, store, charge } = setStore();
    await charge(counter, "a");
    await charge(slot, "b");
    await store.close();
    expect(store.size).toBe(0);
    expect(clock.isIdle).toBe(true);
    await expect(charge(counter, "a")).rejects.toMatchObject({
      code: "SLUICE_STORE_CLOSED",
      isRetryable: false,
    });
    await store.close();
    expect(clock.isIdle).toBe(true);
  });

  it("starts no timer for what arrives late", async () => {
    const { clock, store } = setStore();
    await store.close();
    const correction = { limit: counter, charged: 0, actual: 5, chargedAt: undefined, serial: 1 };
    await store.settle({
      type: "settle",
      operationId: "late",
      serial: 2,
      targets: [{ kind: "key", id: "a", corrections: [correction] }],
    });
    expect(clock.isIdle).toBe(true);
  });
});
