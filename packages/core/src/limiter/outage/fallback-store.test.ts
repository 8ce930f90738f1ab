import { realisticStartMs } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../test/stage";
import { type FleetProcess, setFleet, usedThere } from "../../../test/store/fleet";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import { fixedWindow } from "../../limit/fixed-window";
import type { Limit } from "../../limit/limit";
import { slidingWindow } from "../../limit/sliding-window";
import { tokenBucket } from "../../limit/token-bucket";
import type { LimiterPermit } from "../permit";
import type { Cost } from "../question";

const MINUTE_MS = 60_000;
const requests = fixedWindow({ name: "requests", max: 10, windowMs: MINUTE_MS });
const tokens = fixedWindow({ name: "tokens", unit: "tokens", max: 900, windowMs: MINUTE_MS });

const questionOf = (limits: readonly Limit[], cost: Cost = {}, id = "k") => ({
  descriptors: [{ kind: "key", id, limits }],
  cost,
});

async function take(
  on: FleetProcess,
  limits: readonly Limit[],
  cost: Cost = {},
): Promise<LimiterPermit> {
  return expectAdmitted(await on.limiter.admit(questionOf(limits, cost)));
}

async function admittedOf(on: FleetProcess, limits: readonly Limit[], of: number) {
  let admitted = 0;
  for (let asked = 0; asked < of; asked += 1) {
    if ((await on.limiter.admit(questionOf(limits))).admitted) admitted += 1;
  }
  return admitted;
}

function setOne(instances: number, startMs = 0) {
  const fleet = setFleet(1, { instances, startMs });
  return { fleet, process: fleet.processes[0] as FleetProcess };
}

describe("While the store is away, a process", () => {
  it("decides with its part of each limit, and says so", async () => {
    const { fleet, process } = setOne(3);
    fleet.goAway();
    const verdict = await process.limiter.admit(questionOf([requests]));
    const status = { max: 3, used: 1, remaining: 2, resetAfterMs: MINUTE_MS, source: "local" };
    expect(verdict).toMatchObject({ admitted: true, statuses: [status] });
    expect(eventsOf(process, "verdict")).toMatchObject([{ source: "local" }]);
    expect(await admittedOf(process, [requests], 5)).toBe(2);
    expectRejected(await process.limiter.admit(questionOf([requests])), "window_exhausted");
    await fleet.close();
  });

  it("waits exactly as long as its own windows say", async () => {
    const { fleet, process } = setOne(10);
    fleet.goAway();
    await take(process, [requests]);
    await fleet.clock.advanceAsync(20_000);
    const rejection = expectRejected(await process.limiter.admit(questionOf([requests])));
    expect(rejection.retryAfterMs).toBe(40_000);
    await fleet.clock.advanceAsync(39_999);
    expect(await admittedOf(process, [requests], 1)).toBe(0);
    await fleet.clock.advanceAsync(1);
    expect(await admittedOf(process, [requests], 1)).toBe(1);
    await fleet.close();
  });

  it("refuses what its part cannot hold as full, not as impossible", async () => {
    const { fleet, process } = setOne(3);
    fleet.goAway();
    const large = await process.limiter.admit(questionOf([tokens], { tokens: 500 }));
    const rejection = expectRejected(large, "window_exhausted");
    expect(rejection.retryable).toBe(true);
    expect(rejection.retryAfterMs).toBeGreaterThan(0);
    const impossible = await process.limiter.admit(questionOf([tokens], { tokens: 901 }));
    expect(expectRejected(impossible, "cost_exceeds_limit").retryable).toBe(false);
    await fleet.close();
  });

  it.each([0, 1, 2])("has at least one unit of a limit, and none of 0: max %i", async (max) => {
    const { fleet, process } = setOne(3);
    fleet.goAway();
    const small = fixedWindow({ max, windowMs: MINUTE_MS });
    expect(await admittedOf(process, [small], 3)).toBe(Math.min(max, 1));
    await fleet.close();
  });

  it("charges all limits of a question or none", async () => {
    const { fleet, process } = setOne(1);
    fleet.goAway();
    const one = fixedWindow({ name: "one", max: 1, windowMs: MINUTE_MS });
    expect(await admittedOf(process, [requests, one], 3)).toBe(1);
    const peeked = await process.limiter.peek(questionOf([requests]));
    expect(peeked.statuses).toMatchObject([{ used: 1, source: "local" }]);
    await fleet.close();
  });

  it("answers peek as it would admit, and charges nothing by that", async () => {
    const { fleet, process } = setOne(10);
    fleet.goAway();
    for (let asked = 0; asked < 3; asked += 1) {
      const peeked = await process.limiter.peek(questionOf([requests]));
      expect(peeked).toMatchObject({ admitted: true, statuses: [{ max: 1, used: 0 }] });
    }
    await take(process, [requests]);
    expectRejected(await process.limiter.peek(questionOf([requests])), "window_exhausted");
    await fleet.close();
  });

  it("fails a reset, which then has changed nothing; a later one forgets in both places", async () => {
    const { fleet, process } = setOne(10);
    fleet.goAway();
    await take(process, [requests]);
    const { limiter } = process;
    await expect(limiter.reset(questionOf([requests]))).rejects.toThrow("made this call fail");
    expect(await admittedOf(process, [requests], 1)).toBe(0);
    fleet.recover();
    await limiter.reset(questionOf([requests]));
    await fleet.clock.advanceAsync(5_000);
    expect(await usedThere(fleet, [requests])).toEqual([0]);
    fleet.goAway();
    expect(await admittedOf(process, [requests], 2)).toBe(1);
    await fleet.close();
  });
});

describe("A process starts from where the store was heard last", () => {
  it.each([0, realisticStartMs])(
    "in the window that was open, until it ends: %i",
    async (startMs) => {
      const { fleet, process } = setOne(2, startMs);
      for (let asked = 0; asked < 6; asked += 1) await take(process, [requests]);
      await fleet.clock.advanceAsync(MINUTE_MS - 1);
      fleet.goAway();
      // 4 were left, and this process is one of 2.
      expect(await admittedOf(process, [requests], 5)).toBe(2);
      const rejection = expectRejected(await process.limiter.admit(questionOf([requests])));
      expect(rejection.retryAfterMs).toBe(1);
      await fleet.clock.advanceAsync(1);
      expect(await admittedOf(process, [requests], 9)).toBe(5);
      await fleet.close();
    },
  );

  it.each([
    fixedWindow({ max: 10, windowMs: MINUTE_MS, anchor: "epoch" }),
    slidingWindow({ max: 10, windowMs: MINUTE_MS }),
    tokenBucket({ capacity: 10, refill: 1, perMs: MINUTE_MS }),
  ])("in a limit of the kind $kind", async (limit) => {
    const { fleet, process } = setOne(2, realisticStartMs);
    for (let asked = 0; asked < 6; asked += 1) await take(process, [limit]);
    fleet.goAway();
    expect(await admittedOf(process, [limit], 5)).toBe(2);
    await fleet.clock.advanceAsync(10 * MINUTE_MS);
    expect(await admittedOf(process, [limit], 9)).toBe(5);
    await fleet.close();
  });

  it("also when it was refused, or only looked", async () => {
    const fleet = setFleet(2);
    const [first, second] = fleet.processes as [FleetProcess, FleetProcess];
    expect(await admittedOf(first, [requests], 10)).toBe(10);
    expectRejected(await second.limiter.peek(questionOf([requests])));
    fleet.goAway();
    expect(await admittedOf(first, [requests], 1)).toBe(0);
    expect(await admittedOf(second, [requests], 1)).toBe(0);
    await fleet.close();
  });

  it("and again in the next outage, with what it has reported since", async () => {
    const { fleet, process } = setOne(2);
    fleet.goAway();
    expect(await admittedOf(process, [requests], 9)).toBe(5);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    // Nothing was heard since: what was admitted still counts.
    fleet.goAway();
    expect(await admittedOf(process, [requests], 9)).toBe(0);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    await take(process, [requests]);
    fleet.goAway();
    expect(await admittedOf(process, [requests], 9)).toBe(2);
    await fleet.close();
  });
});

describe("An outage is told", () => {
  it("once at its beginning and once at its end, however many calls fail", async () => {
    const { fleet, process } = setOne(1);
    fleet.goAway();
    for (let second = 0; second < 30; second += 1) {
      await admittedOf(process, [requests], 20);
      await fleet.clock.advanceAsync(1_000);
    }
    fleet.recover();
    await take(process, [tokens]);
    await fleet.clock.advanceAsync(5_000);
    const told = [
      ...eventsOf(process, "store_unavailable"),
      ...eventsOf(process, "store_recovered"),
    ];
    const failures = eventsOf(process, "store_failed").length;
    expect(told).toMatchObject([
      { policy: "local", operation: "admit" },
      { downMs: 30_000, failures },
    ]);
    expect(failures).toBeGreaterThanOrEqual(600);
    await fleet.close();
  });

  it("once per second at most if calls fail and succeed in turn", async () => {
    const { fleet, process } = setOne(1);
    for (let turn = 0; turn < 50; turn += 1) {
      process.faulty.failNext("admit");
      await admittedOf(process, [requests], 2);
      await fleet.clock.advanceAsync(100);
    }
    expect(eventsOf(process, "store_unavailable")).toHaveLength(1);
    await fleet.clock.advanceAsync(1_000);
    expect(eventsOf(process, "store_recovered")).toHaveLength(1);
    await fleet.close();
  });

  it("and over without a restart or a new limiter: the next verdict is the store's", async () => {
    const { fleet, process } = setOne(3);
    fleet.goAway();
    await take(process, [requests]);
    fleet.recover();
    const verdict = await process.limiter.admit(questionOf([requests]));
    expect(verdict.statuses).toMatchObject([{ max: 10, source: "store" }]);
    await fleet.close();
    expect(fleet.clock.pendingTimers).toBeLessThanOrEqual(1);
  });
});
