import { concurrency, fixedWindow } from "@sluice/core";
import { describe, expect, it } from "vitest";
import { eventsOf, type Stage, setStage } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";
import { questionOf, usedOf } from "./attempts";

const limits = [fixedWindow({ max: 5, windowMs: 60_000 })];

async function hit({ limiter }: Stage, by: string): Promise<void> {
  expectAdmitted(await limiter.admit(questionOf(limits, by)));
}

function forget({ limiter }: Stage, by: string): Promise<void> {
  return limiter.reset(questionOf(limits, by));
}

describe("R057: a store that is full", () => {
  it.each([5, 1])("of %d keys goes on, however the first operations met", async (maxKeys) => {
    const on = setStage({ maxKeys });
    for (const by of ["a", "a", "b", "c", "d", "e", "f", "g"]) {
      await hit(on, by);
      expect(on.store.size).toBeLessThanOrEqual(maxKeys);
    }
    expect(await usedOf(on, limits, "g")).toEqual([1]);
    await on.limiter.close();
  });

  it.each(["a", "e", "c"])("goes on after key %s was deleted from it", async (deleted) => {
    const on = setStage({ maxKeys: 5 });
    for (const by of ["a", "b", "c", "d", "e"]) await hit(on, by);
    await forget(on, deleted);
    expect(on.store.size).toBe(4);
    expect(await usedOf(on, limits, deleted)).toEqual([0]);
    await hit(on, "f");
    expect(eventsOf(on, "key_evicted")).toHaveLength(0);
    for (const by of ["g", "h", "i", "j", "k", deleted]) {
      await hit(on, by);
      expect(on.store.size).toBe(5);
    }
    expect(await usedOf(on, limits, deleted)).toEqual([1]);
    await on.limiter.close();
  });

  it("goes on after every key was deleted, newest first or oldest first", async () => {
    const keys = ["a", "b", "c", "d", "e"];
    for (const order of [keys, [...keys].reverse()]) {
      const on = setStage({ maxKeys: 5 });
      for (const by of keys) await hit(on, by);
      for (const by of order) await forget(on, by);
      expect(on.store.size).toBe(0);
      for (const by of [...keys, "f", "g"]) await hit(on, by);
      expect(on.store.size).toBe(5);
      await on.limiter.close();
    }
  });
});

describe("R059: 20 000 spoofed keys on a store of 10 000", { timeout: 60_000 }, () => {
  it("do not free an exhausted key, and do not lock out a newcomer", async () => {
    const on = setStage({ maxKeys: 10_000 });
    for (let used = 0; used < 5; used += 1) await hit(on, "X");
    for (let spoofed = 0; spoofed < 20_000; spoofed += 1) {
      await on.limiter.admit(questionOf(limits, `spoofed-${spoofed}`));
    }
    expect(on.store.size).toBe(10_000);
    expect(eventsOf(on, "key_evicted")).toHaveLength(10_001);
    expectRejected(await on.limiter.admit(questionOf(limits, "X")), "window_exhausted");
    expectAdmitted(await on.limiter.admit(questionOf(limits, "H")));
    await on.limiter.close();
  });

  it("do not free a slot that is held", async () => {
    const on = setStage({ maxKeys: 1_000 });
    const slots = [concurrency({ max: 1 })];
    const held = expectAdmitted(await on.limiter.admit(questionOf(slots, "X")));
    for (let spoofed = 0; spoofed < 3_000; spoofed += 1) {
      await on.limiter.admit(questionOf(limits, `spoofed-${spoofed}`));
    }
    expectRejected(await on.limiter.admit(questionOf(slots, "X")), "concurrency_exhausted");
    await held.release();
    expectAdmitted(await on.limiter.admit(questionOf(slots, "X")));
    await on.limiter.close();
  });

  it("that hold slots lock out newcomers as a store failure, not as a full limit", async () => {
    const on = setStage({ maxKeys: 10 });
    const slots = [concurrency({ max: 1 })];
    for (let spoofed = 0; spoofed < 10; spoofed += 1) {
      expectAdmitted(await on.limiter.admit(questionOf(slots, `spoofed-${spoofed}`)));
    }
    const rejection = expectRejected(
      await on.limiter.admit(questionOf(limits, "H")),
      "store_unavailable",
    );
    expect(rejection).toMatchObject({ retryable: true, violated: [] });
    expect(eventsOf(on, "store_failed")).toMatchObject([{ error: { code: "SLUICE_STORE_FULL" } }]);
    await on.limiter.close();
  });
});

describe("7.4.7: foreign keys", { timeout: 60_000 }, () => {
  it("5 000 of them free no limited key of a store of 2 000", async () => {
    const on = setStage({ maxKeys: 2_000 });
    for (let used = 0; used < 5; used += 1) await hit(on, "X");
    for (let foreign = 0; foreign < 5_000; foreign += 1) {
      await on.limiter.admit(questionOf(limits, `foreign-${foreign}`));
      if (foreign % 100 === 0) {
        expectRejected(await on.limiter.admit(questionOf(limits, "X")), "window_exhausted");
      }
    }
    expect(on.store.size).toBe(2_000);
    await on.limiter.close();
  });

  it("5 000 of them evict nothing from a store of the default size", async () => {
    const on = setStage();
    for (let used = 0; used < 5; used += 1) await hit(on, "X");
    for (let foreign = 0; foreign < 5_000; foreign += 1) await hit(on, `foreign-${foreign}`);
    expect(on.store.size).toBe(5_001);
    expect(eventsOf(on, "key_evicted")).toHaveLength(0);
    expectRejected(await on.limiter.admit(questionOf(limits, "X")), "window_exhausted");
    await on.limiter.close();
  });
});
