import {
  concurrency,
  EVICTION_SAMPLE,
  fixedWindow,
  InvalidOptionsError,
  type Limit,
} from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../runs";
import { eventsOf, type Stage, setStage, startsMs } from "../stage";
import { expectAdmitted, expectRejected } from "../verdicts";

const WINDOW_MS = 3_600_000;
const startMs = fc.constantFrom(...startsMs);
const maxKeys = fc.integer({ min: 1, max: 200 });
const seed = fc.nat({ max: 1_000 });

const counter = fixedWindow({ name: "counter", max: 100, windowMs: WINDOW_MS });
const brief = fixedWindow({ name: "brief", max: 100, windowMs: 1_000 });
const slot = concurrency({ name: "slot", max: 10 });

describe("Law 8, nothing is unbounded: a full memory store", () => {
  it("never holds more than maxKeys keys, and admits newcomers by evicting", async () => {
    const keys = fc.array(fc.nat({ max: 400 }), { maxLength: 600, size: "max" });
    await fc.assert(
      fc.asyncProperty(startMs, seed, maxKeys, keys, async (at, random, most, ids) => {
        const on = setStage({ startMs: at, seed: random, maxKeys: most });
        for (const id of ids) {
          expectAdmitted(await ask(on, id, counter));
          expect(on.store.size).toBeLessThanOrEqual(most);
        }
        const distinct = new Set(ids).size;
        if (distinct <= most) expect(eventsOf(on, "key_evicted")).toHaveLength(0);
        expect(on.store.size).toBeGreaterThanOrEqual(Math.min(1, distinct));
        await on.limiter.close();
      }),
      runs(30),
    );
  });

  it("drops what has expired before anything that is alive", async () => {
    const sampled = fc.integer({ min: 1, max: EVICTION_SAMPLE });
    const share = fc.double({ min: 0.1, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(startMs, seed, sampled, share, async (at, random, most, expiring) => {
        const on = setStage({ startMs: at, seed: random, maxKeys: most });
        const dead = Math.ceil(most * expiring);
        for (let id = 0; id < most; id += 1) await ask(on, id, id < dead ? brief : counter);
        // Without a turn for timers: nobody has swept before the newcomers arrive.
        on.clock.advance(1_000);
        for (let id = 0; id < dead; id += 1) expectAdmitted(await ask(on, 1_000 + id, counter));
        expect(eventsOf(on, "key_evicted")).toHaveLength(0);
        for (let id = dead; id < most; id += 1) expect(await usedOf(on, id, counter)).toBe(1);
        await on.limiter.close();
      }),
      runs(30),
    );
  });

  it("evicts nothing if the expired were swept in time", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, seed, maxKeys, async (at, random, most) => {
        const on = setStage({ startMs: at, seed: random, maxKeys: 2 * most });
        for (let id = 0; id < most; id += 1) await ask(on, id, brief);
        for (let id = 0; id < most; id += 1) await ask(on, 1_000 + id, counter);
        await on.clock.advanceAsync(WINDOW_MS / 2);
        expect(on.store.size).toBe(most);
        for (let id = 0; id < most; id += 1) expectAdmitted(await ask(on, 2_000 + id, counter));
        expect(eventsOf(on, "key_evicted")).toHaveLength(0);
        await on.limiter.close();
      }),
      runs(20),
    );
  });

  it("forgets a key that is hardly used rather than one that is nearly exhausted", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, seed, async (at, random) => {
        const most = 40;
        const on = setStage({ startMs: at, seed: random, maxKeys: most });
        for (let id = 0; id < most; id += 1) await ask(on, id, counter, id % 2 === 0 ? 99 : 1);
        for (let id = 0; id < 10; id += 1) expectAdmitted(await ask(on, 1_000 + id, counter));
        let usedUp = 0;
        for (let id = 0; id < most; id += 2) {
          if ((await usedOf(on, id, counter)) === 99) usedUp += 1;
        }
        // Ten of forty had to go; by pure chance half of them would be of the exhausted twenty.
        expect(usedUp).toBeGreaterThanOrEqual(18);
        await on.limiter.close();
      }),
      runs(20),
    );
  });

  it("never evicts live leases, and refuses a newcomer if there is nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, seed, maxKeys, async (at, random, most) => {
        const on = setStage({ startMs: at, seed: random, maxKeys: most });
        const permits = [];
        for (let id = 0; id < most; id += 1) permits.push(expectAdmitted(await ask(on, id, slot)));
        const rejection = expectRejected(await ask(on, 1_000, counter), "store_unavailable");
        expect(rejection.retryAfterMs).toBeGreaterThan(0);
        expectRejected(await ask(on, 1_001, slot), "store_unavailable");
        for (let id = 0; id < most; id += 1) expect(await usedOf(on, id, slot)).toBe(1);
        // Known keys still work, and a slot that comes back makes room.
        expectAdmitted(await ask(on, 0, slot));
        await permits[most - 1]?.release();
        if (most > 1) expectAdmitted(await ask(on, 1_000, counter));
        expect(eventsOf(on, "lease_lost")).toHaveLength(0);
        await on.limiter.close();
      }),
      runs(20),
    );
  });

  it("keeps leases while counters around them come and go", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, seed, fc.integer({ min: 2, max: 60 }), async (at, random, most) => {
        const on = setStage({ startMs: at, seed: random, maxKeys: most });
        const held = Math.floor(most / 2);
        for (let id = 0; id < held; id += 1) expectAdmitted(await ask(on, id, slot));
        for (let id = 0; id < 5 * most; id += 1) expectAdmitted(await ask(on, 1_000 + id, counter));
        for (let id = 0; id < held; id += 1) expect(await usedOf(on, id, slot)).toBe(1);
        expect(on.store.size).toBeLessThanOrEqual(most);
        await on.limiter.close();
      }),
      runs(20),
    );
  });

  it("drops a late refund of a key that was evicted", async () => {
    const on = setStage({ maxKeys: 1 });
    const permit = expectAdmitted(await ask(on, 1, counter, 5));
    expectAdmitted(await ask(on, 2, counter));
    expectAdmitted(await ask(on, 1, counter, 3));
    await permit.refund();
    expect(await usedOf(on, 1, counter)).toBe(3);
    await on.limiter.close();
  });
});

describe("Law 8, nothing is unbounded: a question", () => {
  it("has 1 to 16 descriptors with 1 to 16 limits each, of different names", async () => {
    const on = setStage();
    const limits = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        fixedWindow({ name: `limit-${index}`, max: 1, windowMs: 1_000 }),
      );
    const descriptors = (count: number, each: number) =>
      Array.from({ length: count }, (_, index) => ({
        kind: "key",
        id: `k${index}`,
        limits: limits(each),
      }));
    expectAdmitted(await on.limiter.admit({ descriptors: descriptors(16, 16) }));
    const refused = [descriptors(0, 1), descriptors(17, 1), descriptors(1, 0), descriptors(1, 17)];
    for (const bad of refused) {
      await expect(on.limiter.admit({ descriptors: bad })).rejects.toThrow(InvalidOptionsError);
    }
    const twice = { kind: "key", id: "k", limits: [counter, counter] };
    const asked = on.limiter.admit({ descriptors: [twice] });
    await expect(asked).rejects.toThrow(InvalidOptionsError);
    const same = { kind: "key", id: "k", limits: [counter] };
    const both = on.limiter.admit({ descriptors: [same, { ...same, limits: [brief] }] });
    await expect(both).rejects.toThrow(InvalidOptionsError);
    await on.limiter.close();
  });

  it("keeps different ids apart, whatever they are made of and however long they are", async () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, unit: "binary" }),
      fc.constantFrom("a:b", "a", "b", "%", "#", "{x}", "__proto__", "constructor", "\u0000"),
      fc.nat({ max: 3 }).map((tail) => "x".repeat(10_000) + tail),
    );
    const ids = fc.uniqueArray(fc.array(part, { minLength: 1, maxLength: 3 }), {
      selector: (id) => JSON.stringify(id),
      minLength: 2,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(ids, async (all) => {
        const on = setStage();
        const askOf = (id: readonly string[]) =>
          on.limiter.admit({ descriptors: [{ kind: "key", id, limits: [single] }] });
        for (const id of all) expectAdmitted(await askOf(id));
        for (const id of all) expectRejected(await askOf(id), "window_exhausted");
        await on.limiter.close();
      }),
      runs(60),
    );
  });
});

const single = fixedWindow({ name: "single", max: 1, windowMs: 1_000 });

function ask({ limiter }: Stage, id: number, limit: Limit, requests = 1) {
  const descriptors = [{ kind: "key", id: `k${id}`, limits: [limit] }];
  return limiter.admit({ descriptors, cost: { requests } });
}

async function usedOf({ limiter }: Stage, id: number, limit: Limit): Promise<number | undefined> {
  const descriptors = [{ kind: "key", id: `k${id}`, limits: [limit] }];
  return (await limiter.peek({ descriptors })).statuses[0]?.used;
}
