import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { problemPathsOf } from "../../test/problem-paths";
import { setFaultyStage } from "../../test/store/faulty-stage";
import { expectAdmitted, expectRejected } from "../../test/verdicts";
import { RejectedError } from "../error/rejected-error";
import { StoreError } from "../error/store-error";
import type { SluiceEvent } from "../event/event";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { Limit } from "../limit/limit";
import { memoryStore } from "../store/memory/memory-store";
import { createLimiter } from "./create-limiter";
import type { LimiterOptions } from "./limiter-options";
import type { Question } from "./question";

const single = fixedWindow({ name: "single", max: 1, windowMs: 60_000 });
const slot = concurrency({ name: "slot", max: 1 });

const questionOf = (...limits: readonly Limit[]): Question => ({
  descriptors: [{ kind: "key", id: "k", limits }],
});

describe("createLimiter options", () => {
  it("are all optional", async () => {
    const limiter = createLimiter();
    expectAdmitted(await limiter.admit(questionOf(single)));
    expectRejected(await limiter.admit(questionOf(single)), "window_exhausted");
    await limiter.close();
  });

  it("are refused all at once", () => {
    const options = {
      store: { admit: () => {} },
      clock: { nowMs: () => 0 },
      random: Math,
      recorder: () => {},
      units: ["requests", "requests"],
      onStoreUnavailable: "open",
      storeUnavailableRetryAfterMs: 0,
      concurrencyRetryAfterMs: "1s",
      max: 5,
    } as unknown as LimiterOptions;
    expect(problemPathsOf(() => createLimiter(options)).sort()).toEqual([
      "clock",
      "concurrencyRetryAfterMs",
      "max",
      "onStoreUnavailable",
      "random",
      "recorder",
      "store",
      "storeUnavailableRetryAfterMs",
      "units",
    ]);
  });

  it.each([null, 5, "limiter", [], () => {}])("are not %j", (options) => {
    const make = () => createLimiter(options as unknown as LimiterOptions);
    expect(problemPathsOf(make)).toEqual(["options"]);
  });

  it.each([
    { units: [] },
    { units: "requests" },
    { units: ["requests", ""] },
    { units: ["Requests"] },
    { units: ["slots"] },
    { units: ["a", "a"] },
    { units: [1] },
    { units: [undefined] },
    { units: new Array(1) },
    { units: Array.from({ length: 17 }, (_, index) => `unit-${index}`) },
    { units: null },
    { units: { requests: true } },
  ])("do not take the units $units", ({ units }) => {
    const make = () => createLimiter({ units: units as string[] });
    expect(problemPathsOf(make)).toEqual(["units"]);
  });

  it("take up to 16 units of their own, and then no others", async () => {
    const units = Array.from({ length: 16 }, (_, index) => `unit-${index}`);
    const limiter = createLimiter({ units, clock: new FakeClock() });
    const limit = fixedWindow({ unit: "unit-15", max: 1, windowMs: 1_000 });
    const question = { ...questionOf(limit), cost: { "unit-15": 1 } };
    expectAdmitted(await limiter.admit(question));
    expectRejected(await limiter.admit(question), "window_exhausted");
    await expect(limiter.admit({ ...question, cost: { requests: 1 } })).rejects.toThrow(
      "cost.requests",
    );
    await limiter.close();
  });

  it("do not change when the list of units does", async () => {
    const units = ["requests"];
    const limiter = createLimiter({ units, clock: new FakeClock() });
    units.push("tokens");
    await expect(limiter.admit({ ...questionOf(single), cost: { tokens: 1 } })).rejects.toThrow(
      "cost.tokens: expected a declared unit (requests)",
    );
  });
});

describe("While the store is away", () => {
  const verdictsOf = (events: readonly SluiceEvent[]) =>
    events.filter((event) => event.type === "verdict");

  it("a limiter of the policy reject refuses as unavailable, never as a full limit", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "reject" });
    on.faulty.failAlways("admit");
    const verdict = await on.limiter.admit(questionOf(single, slot));
    expect(verdict).toEqual({
      admitted: false,
      rejection: {
        reason: "store_unavailable",
        retryAfterMs: 1_000,
        retryable: true,
        violated: [],
      },
      statuses: [],
    });
    expect(verdictsOf(on.events)).toMatchObject([
      { admitted: false, reason: "store_unavailable", source: "policy", statuses: [] },
    ]);
    expect(on.events).toMatchObject([
      { type: "store_called", operation: "admit", failed: true },
      { type: "store_unavailable", operation: "admit", policy: "reject" },
      { type: "store_failed", operation: "admit" },
      {},
    ]);
    on.faulty.recover();
    expectAdmitted(await on.limiter.admit(questionOf(single)));
  });

  it("a limiter tells the wait that it was given", async () => {
    const on = setFaultyStage({
      onStoreUnavailable: "reject",
      storeUnavailableRetryAfterMs: 7_000,
    });
    on.faulty.failAlways("admit");
    const rejection = expectRejected(await on.limiter.admit(questionOf(single)));
    expect(rejection.retryAfterMs).toBe(7_000);
  });

  it("a limiter of the policy admit lets everything through uncounted", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "admit" });
    on.faulty.failAlways("admit");
    for (let request = 0; request < 3; request += 1) {
      const verdict = await on.limiter.admit(questionOf(single, slot));
      expect(verdict.statuses).toEqual([]);
      const permit = expectAdmitted(verdict);
      expect(permit.id).not.toBe("");
      permit.usage({ tokens: 5 });
      await permit.finish();
      await permit.refund();
    }
    expect(verdictsOf(on.events)).toMatchObject(
      new Array(3).fill({ admitted: true, source: "policy", statuses: [] }),
    );
    // Nothing was reserved, so nothing is corrected.
    expect(on.faulty.callsOf("settle")).toHaveLength(0);
    expect(on.faulty.callsOf("release")).toHaveLength(0);
    expect(on.limiter.heldLeases).toBe(0);
    on.faulty.recover();
    expectAdmitted(await on.limiter.admit(questionOf(single, slot)));
    await on.limiter.close();
  });

  it("permits of the policy admit have ids of their own", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "admit" });
    on.faulty.failAlways("admit");
    const ids = [];
    for (let request = 0; request < 3; request += 1) {
      ids.push(expectAdmitted(await on.limiter.admit(questionOf(single))).id);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it.each([new TypeError("bug in the client"), "text", undefined, null])(
    "a rejection with %s is a failing store too",
    async (error) => {
      const on = setFaultyStage({ onStoreUnavailable: "reject" });
      on.faulty.failNext("admit", { error });
      expectRejected(await on.limiter.admit(questionOf(single)), "store_unavailable");
      expect(on.events).toContainEqual({ type: "store_failed", operation: "admit", error });
    },
  );

  it.each(["SLUICE_STORE_FULL", "SLUICE_STORE_CLOSED"] as const)(
    "a store that fails with %s refuses whatever the policy is",
    async (code) => {
      for (const onStoreUnavailable of ["local", "admit", "reject"] as const) {
        const on = setFaultyStage({ onStoreUnavailable });
        on.faulty.goAway({ code });
        const rejection = expectRejected(await on.limiter.admit(questionOf(single)));
        expect(rejection.reason).toBe("store_unavailable");
        expectRejected(await on.limiter.peek(questionOf(single)), "store_unavailable");
        expect(on.events.map(({ type }) => type)).not.toContain("store_unavailable");
      }
    },
  );

  it.each(["local", "admit", "reject"] as const)(
    "a store in this process that was closed refuses under the policy %s",
    async (onStoreUnavailable) => {
      const clock = new FakeClock();
      const store = memoryStore({ clock });
      const limiter = createLimiter({ store, clock, onStoreUnavailable });
      await store.close();
      expectRejected(await limiter.admit(questionOf(single)), "store_unavailable");
    },
  );

  it("peek answers what admit would, and records no verdict", async () => {
    for (const onStoreUnavailable of ["admit", "reject"] as const) {
      const on = setFaultyStage({ onStoreUnavailable });
      on.faulty.failAlways("peek");
      const peeked = await on.limiter.peek(questionOf(single));
      if (onStoreUnavailable === "admit") expect(peeked).toEqual({ admitted: true, statuses: [] });
      else expect(expectRejected(peeked, "store_unavailable").violated).toEqual([]);
      expect(on.events).toMatchObject([
        { type: "store_called", operation: "peek", failed: true },
        { type: "store_unavailable", operation: "peek" },
        { type: "store_failed", operation: "peek" },
      ]);
    }
  });

  it("peek answers what admit would when the caller has left or the limiter is closed", async () => {
    const on = setFaultyStage();
    const left = { ...questionOf(single), signal: AbortSignal.abort() };
    expectRejected(await on.limiter.peek(left), "aborted");
    await on.limiter.close();
    expectRejected(await on.limiter.peek(questionOf(single)), "store_unavailable");
  });

  it("reset tells its caller", async () => {
    const on = setFaultyStage();
    on.faulty.failAlways("reset");
    await expect(on.limiter.reset(questionOf(single))).rejects.toThrow(StoreError);
  });

  it("malformed questions are refused as always", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "admit" });
    on.faulty.failAlways("admit");
    const bad = { descriptors: [{ kind: "key", id: "", limits: [single] }] };
    await expect(on.limiter.admit(bad)).rejects.toThrow("descriptors[0].id");
  });
});

describe("A hint for slots", () => {
  it("is three quarters to all of what is configured, and never less than 1", async () => {
    for (const concurrencyRetryAfterMs of [1, 2, 1_000, 60_000]) {
      const on = setFaultyStage({ concurrencyRetryAfterMs });
      expectAdmitted(await on.limiter.admit(questionOf(slot)));
      const hints = new Set<number | undefined>();
      for (let asked = 0; asked < 50; asked += 1) {
        const rejection = expectRejected(await on.limiter.admit(questionOf(slot)));
        hints.add(rejection.retryAfterMs);
        expect(rejection.retryAfterMs).toBeGreaterThanOrEqual(
          Math.max(1, concurrencyRetryAfterMs * 0.75),
        );
        expect(rejection.retryAfterMs).toBeLessThanOrEqual(concurrencyRetryAfterMs);
      }
      if (concurrencyRetryAfterMs > 100) expect(hints.size).toBeGreaterThan(10);
      await on.limiter.close();
    }
  });

  it("gives way to an exact wait", async () => {
    const on = setFaultyStage();
    expectAdmitted(await on.limiter.admit(questionOf(single, slot)));
    const rejection = expectRejected(await on.limiter.admit(questionOf(single, slot)));
    expect(rejection).toMatchObject({ reason: "window_exhausted", retryAfterMs: 60_000 });
    await on.limiter.close();
  });
});

describe("limiter.run", () => {
  it("closes the permit by what was noted", async () => {
    const on = setFaultyStage();
    const tokens = fixedWindow({ name: "t", unit: "tokens", max: 100, windowMs: 60_000 });
    const question = { ...questionOf(tokens, slot), cost: { tokens: 10 } };
    const used = async () => (await on.limiter.peek(question)).statuses.map((each) => each.used);
    const answer = await on.limiter.run(question, (permit) => {
      permit.usage({ tokens: 4 });
      return "answer";
    });
    expect(answer).toBe("answer");
    expect(await used()).toEqual([4, 0]);
    const failing = on.limiter.run(question, (permit) => {
      permit.usage({ tokens: 3 });
      throw new Error("failed after 3 tokens");
    });
    await expect(failing).rejects.toThrow("failed after 3 tokens");
    expect(await used()).toEqual([7, 0]);
  });

  it("carries the verdict when it was not admitted", async () => {
    const on = setFaultyStage();
    await on.limiter.run(questionOf(single), () => {});
    const error: unknown = await on.limiter.run(questionOf(single), () => {}).catch((e) => e);
    expect(error).toBeInstanceOf(RejectedError);
    expect((error as RejectedError).verdict.rejection.reason).toBe("window_exhausted");
    expect((error as RejectedError).message).toBe(
      "Rejected: window_exhausted, retry after 60000 ms",
    );
  });
});

describe("limiter.reset", () => {
  it("forgets counters and keeps leases", async () => {
    const on = setFaultyStage();
    const permit = expectAdmitted(await on.limiter.admit(questionOf(single, slot)));
    await on.limiter.reset(questionOf(single));
    expect((await on.limiter.peek(questionOf(single, slot))).statuses).toMatchObject([
      { used: 0 },
      { used: 1 },
    ]);
    await permit.refund();
    expect((await on.limiter.peek(questionOf(single, slot))).statuses).toMatchObject([
      { used: 0 },
      { used: 0 },
    ]);
  });

  it.each([undefined, null, 5, {}, { descriptors: [] }])("refuses %j", async (junk) => {
    const on = setFaultyStage();
    await expect(on.limiter.reset(junk as unknown as Question)).rejects.toMatchObject({
      code: "SLUICE_INVALID_OPTIONS",
    });
  });
});

describe("limiter.close", () => {
  it("answers as with a store that is away, and takes no slot of a shared store", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "admit" });
    await on.limiter.close();
    expectRejected(await on.limiter.admit(questionOf(slot)), "store_unavailable");
    expect(on.limiter.heldLeases).toBe(0);
    expect(on.faulty.callsOf("admit")).toHaveLength(0);
    expect(on.events.filter(({ type }) => type === "verdict")).toMatchObject([
      { admitted: false, reason: "store_unavailable", source: "policy" },
    ]);
  });

  it("closes the store that the limiter made, and no other", async () => {
    const clock = new FakeClock();
    const own = createLimiter({ clock, random: seededRandom(1) });
    expectAdmitted(await own.admit(questionOf(single)));
    await own.close();
    await own.close();
    expectRejected(await own.admit(questionOf(single)), "store_unavailable");

    const store = memoryStore({ clock });
    await createLimiter({ store, clock }).close();
    const next = createLimiter({ store, clock });
    expectAdmitted(await next.admit(questionOf(single)));
    await next.close();
    await store.close();
  });
});
