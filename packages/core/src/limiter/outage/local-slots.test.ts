import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../test/stage";
import { type Fleet, type FleetProcess, setFleet, usedThere } from "../../../test/store/fleet";
import { expectAdmitted, expectRejected } from "../../../test/verdicts";
import { concurrency } from "../../limit/concurrency";
import type { LimiterPermit } from "../permit";

const LEASE_MS = 8_000;
const slots = concurrency({ name: "slots", max: 6, leaseMs: LEASE_MS });
const question = { descriptors: [{ kind: "key", id: "k", limits: [slots] }] };

const take = async (on: FleetProcess): Promise<LimiterPermit> =>
  expectAdmitted(await on.limiter.admit(question));

function setTwo(aheadMs = 0) {
  const fleet = setFleet(2, { startMs: 1_000_000, aheadMs });
  return { fleet, processes: fleet.processes as [FleetProcess, FleetProcess] };
}

async function slotsThere(fleet: Fleet): Promise<number> {
  return (await usedThere(fleet, [slots]))[0] as number;
}

describe("A slot that was taken before an outage", () => {
  it.each([0, 5_000_000, -900_000])(
    "is kept through it, longer than a lease, and adopted afterwards: %i ms ahead",
    async (aheadMs) => {
      const { fleet, processes } = setTwo(aheadMs);
      const [process] = processes;
      const permit = await take(process);
      fleet.goAway();
      await fleet.clock.advanceAsync(10 * LEASE_MS);
      expect(permit.lost.aborted).toBe(false);
      expect(await slotsThere(fleet)).toBe(0);
      fleet.recover();
      // Sooner than its next renewal could have come.
      await fleet.clock.advanceAsync(1_000);
      expect(await slotsThere(fleet)).toBe(1);
      await fleet.clock.advanceAsync(10 * LEASE_MS);
      expect(permit.lost.aborted).toBe(false);
      expect(eventsOf(process, "lease_lost")).toEqual([]);
      await permit.release();
      expect(await slotsThere(fleet)).toBe(0);
      await fleet.close();
    },
  );

  it("counts in the part of this process", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    const held = [await take(process), await take(process)];
    fleet.goAway();
    const verdict = await process.limiter.admit(question);
    expect(verdict).toMatchObject({ statuses: [{ max: 3, used: 3, remaining: 0 }] });
    expectRejected(await process.limiter.admit(question), "concurrency_exhausted");
    await held[0]?.release();
    held.push(await take(process));
    expectRejected(await process.limiter.admit(question), "concurrency_exhausted");
    expect(process.limiter.heldLeases).toBe(3);
    await fleet.close();
  });

  it("leaves others only their part of what was left, while its lease can last", async () => {
    const { fleet, processes } = setTwo();
    const [first, second] = processes;
    for (let taken = 0; taken < 5; taken += 1) await take(first);
    expectAdmitted(await second.limiter.admit(question));
    fleet.goAway();
    // Nothing was left: 5 there and 1 here are held.
    expectRejected(await second.limiter.admit(question), "concurrency_exhausted");
    await fleet.clock.advanceAsync(LEASE_MS);
    await take(second);
    await fleet.close();
  });

  it("is freed there too, if it was closed in the outage", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    const permits = [await take(process), await take(process), await take(process)] as const;
    fleet.goAway();
    await permits[0].release();
    await permits[1].settle({ requests: 1 });
    expect(process.limiter.heldLeases).toBe(1);
    await fleet.clock.advanceAsync(1_000);
    fleet.recover();
    await fleet.clock.advanceAsync(4_000);
    expect(await slotsThere(fleet)).toBe(1);
    await permits[2].refund();
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("is freed there too, if it was renewed and closed in a short outage", async () => {
    const { fleet, processes } = setTwo();
    const permit = await take(processes[0]);
    fleet.goAway();
    await fleet.clock.advanceAsync(LEASE_MS / 4);
    await permit.release();
    fleet.recover();
    expect(await slotsThere(fleet)).toBe(1);
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("is lost if this process has stood still for longer than its lease", async () => {
    const { fleet, processes } = setTwo();
    const permit = await take(processes[0]);
    fleet.goAway();
    await fleet.clock.advanceAsync(LEASE_MS / 4);
    fleet.clock.advance(2 * LEASE_MS);
    await fleet.clock.advanceAsync(0);
    fleet.recover();
    await fleet.clock.advanceAsync(LEASE_MS);
    expect(permit.lost.aborted).toBe(true);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });
});

describe("A slot that was taken in an outage", () => {
  it.each([0, 5_000_000, -900_000])(
    "is adopted when the store is back, and freed as any other: %i ms ahead",
    async (aheadMs) => {
      const { fleet, processes } = setTwo(aheadMs);
      const [process] = processes;
      await (await take(process)).release();
      fleet.goAway();
      const permits = [await take(process), await take(process)];
      await fleet.clock.advanceAsync(3 * LEASE_MS);
      fleet.recover();
      await fleet.clock.advanceAsync(1_000);
      expect(await slotsThere(fleet)).toBe(2);
      for (const permit of permits) {
        expect(permit.lost.aborted).toBe(false);
        await permit.release();
      }
      expect(await slotsThere(fleet)).toBe(0);
      await fleet.close();
    },
  );

  it("needs no call to the store if it was freed in the outage as well", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    for (let round = 0; round < 20; round += 1) await (await take(process)).release();
    expect(process.faulty.callsOf("release")).toHaveLength(0);
    fleet.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(process.faulty.callsOf("renew")).toHaveLength(0);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("is freed in the store if that took it unheard", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    process.faulty.failNext("admit", { isApplied: true });
    const permit = await take(process);
    expect(await slotsThere(fleet)).toBe(1);
    await permit.release();
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("is freed in the store if that took it unheard, and this process refused", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const held = [await take(process), await take(process), await take(process)];
    fleet.recover();
    process.faulty.failNext("admit", { isApplied: true });
    expectRejected(await process.limiter.admit(question), "concurrency_exhausted");
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(held.length);
    await fleet.close();
  });

  it("does not come back if it is freed while the store adopts it", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const permit = await take(process);
    fleet.recover();
    const answer = process.faulty.holdAnswers("renew");
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(1);
    const released = permit.release();
    answer();
    await released;
    await fleet.clock.advanceAsync(2_000);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("does not come back either if it is freed before the store adopts it", async () => {
    const { fleet, processes } = setTwo();
    const [process] = processes;
    fleet.goAway();
    const permit = await take(process);
    fleet.recover();
    const adopt = process.faulty.holdCalls("renew");
    await fleet.clock.advanceAsync(1_000);
    await permit.release();
    adopt();
    await fleet.clock.advanceAsync(0);
    expect(await slotsThere(fleet)).toBe(1);
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(0);
    await fleet.close();
  });

  it("of more than the store has left makes newcomers wait until there are fewer", async () => {
    const { fleet, processes } = setTwo();
    const [first, second] = processes;
    first.faulty.goAway();
    const here = [await take(first), await take(first), await take(first)];
    const there = [];
    for (let taken = 0; taken < 6; taken += 1) there.push(await take(second));
    first.faulty.recover();
    await fleet.clock.advanceAsync(1_000);
    expect(await slotsThere(fleet)).toBe(9);
    for (const permit of here) await permit.release();
    expectRejected(await second.limiter.admit(question), "concurrency_exhausted");
    await there[0]?.release();
    await take(second);
    await fleet.close();
  });
});
