import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../test/stage";
import type { Fault } from "../../../test/store/faulty-store";
import { type FleetProcess, setFleet, usedThere } from "../../../test/store/fleet";
import { expectAdmitted } from "../../../test/verdicts";
import { fixedWindow } from "../../limit/fixed-window";
import type { Limit } from "../../limit/limit";
import { slidingLog } from "../../limit/sliding-log";
import { slidingWindow } from "../../limit/sliding-window";
import { tokenBucket } from "../../limit/token-bucket";
import type { LimiterPermit } from "../permit";

const HOUR_MS = 3_600_000;
const tokens = fixedWindow({ name: "tokens", unit: "tokens", max: 9_000, windowMs: HOUR_MS });

async function take(
  on: FleetProcess,
  limits: readonly Limit[],
  amount: number,
  id = "k",
): Promise<LimiterPermit> {
  const question = { descriptors: [{ kind: "key", id, limits }], cost: { tokens: amount } };
  return expectAdmitted(await on.limiter.admit(question));
}

function setTwo() {
  const fleet = setFleet(2);
  return { fleet, processes: fleet.processes as [FleetProcess, FleetProcess] };
}

describe("What was admitted while the store was away", () => {
  it.each([
    tokens,
    slidingWindow({ name: "sliding", unit: "tokens", max: 9_000, windowMs: HOUR_MS }),
    slidingLog({ name: "log", unit: "tokens", max: 1_000, windowMs: HOUR_MS }),
    tokenBucket({ name: "bucket", unit: "tokens", capacity: 9_000, refill: 1, perMs: HOUR_MS }),
  ])("is in the store when it is back: $name", async (limit) => {
    const { fleet, processes } = setTwo();
    await take(processes[0], [limit], 100);
    fleet.goAway();
    await take(processes[0], [limit], 20);
    await take(processes[0], [limit], 3);
    await take(processes[1], [limit], 400);
    await fleet.clock.advanceAsync(10_000);
    expect(await usedThere(fleet, [limit])).toEqual([100]);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [limit])).toEqual([523]);
    const told = processes.flatMap((each) => eventsOf(each, "local_use_reported"));
    expect(told).toMatchObject([{ descriptors: 1, units: { tokens: 23 } }, { descriptors: 1 }]);
    await fleet.clock.advanceAsync(10_000);
    expect(await usedThere(fleet, [limit])).toEqual([523]);
    await fleet.close();
  });

  it("is reported by the first command that succeeds", async () => {
    const { fleet, processes } = setTwo();
    fleet.goAway();
    await take(processes[0], [tokens], 20);
    await fleet.clock.advanceAsync(500);
    fleet.recover();
    await take(processes[0], [tokens], 1, "other");
    await fleet.clock.advanceAsync(0);
    expect(await usedThere(fleet, [tokens])).toEqual([20]);
    await fleet.close();
  });

  const faults: [string, Fault][] = [
    ["is lost before it arrives", {}],
    ["is lost, nobody knows where", { isRetryable: false }],
    ["arrives, and its answer is lost", { isApplied: true }],
  ];
  it.each(faults)("counts once if a report %s, again and again", async (_name, fault) => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    for (const id of ["a", "b", "c"]) await take(process, [tokens], 20, id);
    fleet.recover();
    process.faulty.failNext("settle", fault, 7);
    await fleet.clock.advanceAsync(600_000);
    for (const id of ["a", "b", "c"]) expect(await usedThere(fleet, [tokens], id)).toEqual([20]);
    const reports = process.faulty.callsOf("settle");
    expect(reports).toHaveLength(8);
    // What surely did not arrive is reported anew, with what came to it meanwhile.
    const names = new Set(reports.map(({ operationId }) => operationId)).size;
    expect(names).toBe(fault.isApplied === true || fault.isRetryable === false ? 1 : 8);
    expect(eventsOf(process, "local_use_reported")).toHaveLength(1);
    await fleet.close();
  });

  it("counts once if it is admitted while a report is under way", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    await take(process, [tokens], 20);
    fleet.recover();
    process.faulty.failAlways("admit");
    const answer = process.faulty.holdAnswers("settle");
    await fleet.clock.advanceAsync(1_000);
    await take(process, [tokens], 3);
    answer();
    await fleet.clock.advanceAsync(2_000);
    expect(await usedThere(fleet, [tokens])).toEqual([23]);
    await fleet.close();
  });

  it("is not charged to a window that came later", async () => {
    const { fleet, processes } = setTwo();
    fleet.goAway();
    const minute = fixedWindow({ name: "minute", unit: "tokens", max: 90, windowMs: 60_000 });
    for (let passed = 0; passed < 10; passed += 1) {
      await take(processes[0], [minute, tokens], 30);
      await fleet.clock.advanceAsync(60_000);
    }
    await take(processes[0], [minute, tokens], 7);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [minute, tokens])).toEqual([7, 307]);
    await fleet.close();
  });

  it("is forgotten when its window is over", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    await take(process, [tokens], 20);
    process.faulty.recover();
    process.faulty.failAlways("settle");
    await fleet.clock.advanceAsync(HOUR_MS + 5_000);
    const tries = process.faulty.callsOf("settle").length;
    expect(tries).toBeGreaterThan(3_500);
    await fleet.clock.advanceAsync(60_000);
    expect(process.faulty.callsOf("settle")).toHaveLength(tries);
    expect(eventsOf(process, "local_use_dropped")).toEqual([]);
    expect(fleet.clock.pendingTimers).toBe(0);
    await fleet.close();
  });

  it("is given up, and told, if for ten minutes nobody knows whether it arrived", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    await take(process, [tokens], 20);
    process.faulty.recover();
    process.faulty.failAlways("settle", { isRetryable: false });
    await fleet.clock.advanceAsync(600_000);
    expect(eventsOf(process, "local_use_dropped")).toEqual([]);
    await fleet.clock.advanceAsync(2_000);
    const key = "key:k";
    expect(eventsOf(process, "local_use_dropped")).toEqual([{ type: "local_use_dropped", key }]);
    const tries = process.faulty.callsOf("settle").length;
    await fleet.clock.advanceAsync(60_000);
    expect(process.faulty.callsOf("settle")).toHaveLength(tries);
    await fleet.close();
  });

  it("is not sent into an outage, but looked for by a peek once a second", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    process.faulty.goAway({ isRetryable: false });
    await take(process, [tokens], 20);
    await fleet.clock.advanceAsync(60_000);
    expect(process.faulty.callsOf("settle")).toHaveLength(0);
    expect(process.faulty.callsOf("peek")).toHaveLength(60);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([20]);
    await fleet.close();
  });

  it("is reported before the limiter closes, if the store answers", async () => {
    const { fleet, processes } = setTwo();
    fleet.goAway();
    await take(processes[0], [tokens], 20);
    fleet.recover();
    await fleet.close();
    expect(await usedThere(fleet, [tokens])).toEqual([20]);
  });

  it("is told once for thousands of descriptors", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    for (let id = 0; id < 2_000; id += 1) await take(process, [tokens], 2, `k${id}`);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens], "k1999")).toEqual([2]);
    expect(eventsOf(process, "local_use_reported")).toMatchObject([
      { descriptors: 2_000, units: { tokens: 4_000 } },
    ]);
    expect(process.faulty.callsOf("settle")).toHaveLength(2_000 / 16);
    await fleet.close();
  });
});

describe("A permit of an outage", () => {
  it("that is closed before the report changes what is reported", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const [less, more, none] = [
      await take(process, [tokens], 100),
      await take(process, [tokens], 100),
      await take(process, [tokens], 100),
    ] as const;
    await less.settle({ tokens: 40 });
    await more.settle({ tokens: 102 });
    await none.refund();
    await more.settle({ tokens: 5_000 });
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([142]);
    await fleet.close();
  });

  it.each([
    ["the store's own window", 50],
    ["a window that the report opened", 0],
  ])("that is closed after the report corrects %s", async (_name, before) => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    if (before > 0) await take(process, [tokens], before);
    fleet.goAway();
    const [less, more] = [await take(process, [tokens], 100), await take(process, [tokens], 100)];
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([before + 200]);
    await more.settle({ tokens: 130 });
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([before + 230]);
    await less.settle({ tokens: 10 });
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([before + 140]);
    await fleet.close();
  });

  it("never refunds into a window that came later", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const permit = await take(process, [tokens], 100);
    fleet.recover();
    await fleet.clock.advanceAsync(HOUR_MS + 1_000);
    await take(process, [tokens], 30);
    await permit.refund();
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([30]);
    await fleet.close();
  });

  it("that cost nothing at first is charged when it did, also after the outage", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const permit = await take(process, [tokens], 0);
    fleet.recover();
    await permit.settle({ tokens: 12 });
    await fleet.clock.advanceAsync(1_000);
    expect(await usedThere(fleet, [tokens])).toEqual([12]);
    await fleet.close();
  });
});
