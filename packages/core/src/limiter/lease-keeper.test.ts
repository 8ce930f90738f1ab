import { describe, expect, it } from "vitest";
import { type FaultyStage, setFaultyStage } from "../../test/store/faulty-stage";
import { expectAdmitted } from "../../test/verdicts";
import type { SluiceEvent } from "../event/event";
import { concurrency } from "../limit/concurrency";
import { fixedWindow } from "../limit/fixed-window";
import type { ConcurrencyLimit } from "../limit/limit";
import type { LimiterPermit } from "./permit";

const slots = concurrency({ name: "slots", max: 1_000, leaseMs: 1_000 });

const questionOf = (limits: readonly ConcurrencyLimit[], id = "k") => ({
  descriptors: [{ kind: "key", id, limits }],
});

async function take(on: FaultyStage, limit = slots, id = "k"): Promise<LimiterPermit> {
  return expectAdmitted(await on.limiter.admit(questionOf([limit], id)));
}

async function usedOf(on: FaultyStage, limit = slots, id = "k"): Promise<number | undefined> {
  // The store is asked itself: a closed limiter has no answer.
  const targets = questionOf([limit], id).descriptors.map(({ kind, limits }) => ({
    kind,
    id,
    limits,
  }));
  const cost = { requests: 1, tokens: 0 };
  return (await on.faulty.peek({ type: "peek", cost, targets })).checks[0]?.used;
}

const leaseEvents = (on: FaultyStage): SluiceEvent["type"][] =>
  on.events
    .map(({ type }) => type)
    .filter((type) => type.startsWith("lease_") || type === "permit_overdue");

/** The limits whose leases each renew command carried, oldest command first. */
const renewedBy = (on: FaultyStage): string[][] =>
  on.faulty
    .callsOf("renew")
    .map(({ targets }) => targets.flatMap(({ leases }) => leases.map(({ limit }) => limit.name)));

/** How many leases each renew command carried, oldest first. */
const batchesOf = (on: FaultyStage): number[] => renewedBy(on).map(({ length }) => length);

describe("Renewal", () => {
  it("comes at a quarter of a lease, again and again", async () => {
    const on = setFaultyStage();
    await take(on);
    await on.clock.advanceAsync(249);
    expect(batchesOf(on)).toEqual([]);
    await on.clock.advanceAsync(1);
    expect(batchesOf(on)).toEqual([1]);
    await on.clock.advanceAsync(2_500);
    expect(batchesOf(on)).toEqual(new Array(11).fill(1));
    await on.limiter.close();
  });

  it("leaves a slot free whose release has arrived before it", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    const letGo = on.faulty.holdCalls("renew");
    await on.clock.advanceAsync(250);
    await permit.release();
    letGo();
    await on.clock.advanceAsync(1);
    expect(await usedOf(on)).toBe(0);
    expect(leaseEvents(on)).toEqual([]);
  });

  it("keeps a slot for as long as its permit is open, and not longer", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    await on.clock.advanceAsync(60_000);
    expect(await usedOf(on)).toBe(1);
    await permit.release();
    expect(await usedOf(on)).toBe(0);
    const renewals = batchesOf(on).length;
    await on.clock.advanceAsync(60_000);
    expect(batchesOf(on)).toHaveLength(renewals);
    expect(leaseEvents(on)).toEqual([]);
  });

  it("is one command for all permits that are due", async () => {
    const on = setFaultyStage();
    for (let count = 0; count < 300; count += 1) await take(on, slots, `k${count % 7}`);
    await on.clock.advanceAsync(1_000);
    expect(batchesOf(on)).toEqual([300, 300, 300, 300]);
    await on.limiter.close();
  });

  it("takes along what is due within a sixteenth of a lease", async () => {
    const on = setFaultyStage();
    await take(on);
    await on.clock.advanceAsync(62);
    await take(on);
    await on.clock.advanceAsync(1);
    await take(on);
    await on.clock.advanceAsync(250 - 63);
    expect(batchesOf(on)).toEqual([2]);
    await on.clock.advanceAsync(63);
    expect(batchesOf(on)).toEqual([2, 1]);
    await on.limiter.close();
  });

  it("sends at most 500 leases in one command", async () => {
    const on = setFaultyStage();
    const many = concurrency({ name: "slots", max: 2_000, leaseMs: 1_000 });
    for (let count = 0; count < 1_101; count += 1) await take(on, many);
    await on.clock.advanceAsync(250);
    expect(batchesOf(on)).toEqual([500, 500, 101]);
    await on.limiter.close();
  });

  it("goes by each limit's own lease", async () => {
    const on = setFaultyStage();
    const short = concurrency({ name: "short", max: 5, leaseMs: 100 });
    const long = concurrency({ name: "long", max: 5, leaseMs: 10_000 });
    const question = questionOf([short, long]);
    expectAdmitted(await on.limiter.admit(question));
    // The long one may go along with a short one from a sixteenth of its lease before it is due.
    const times = (name: string) =>
      renewedBy(on)
        .flat()
        .filter((each) => each === name).length;
    await on.clock.advanceAsync(1_874);
    expect([times("short"), times("long")]).toEqual([74, 0]);
    await on.clock.advanceAsync(626);
    expect([times("short"), times("long")]).toEqual([100, 1]);
    await on.limiter.close();
  });

  it("runs on one timer, and on none without slots", async () => {
    const on = setFaultyStage();
    const counter = fixedWindow({ max: 100, windowMs: 1_000 });
    const stored = { descriptors: [{ kind: "key", id: "counter", limits: [counter] }] };
    expectAdmitted(await on.limiter.admit(stored));
    const sweeper = on.clock.pendingTimers;
    const permits = [];
    for (let count = 0; count < 20; count += 1) permits.push(await take(on));
    expect(on.clock.pendingTimers).toBe(sweeper + 1);
    for (const permit of permits) await permit.refund();
    expect(on.clock.pendingTimers).toBe(sweeper);
    await on.limiter.close();
  });
});

describe("A renewal that fails", () => {
  it("is tried again at the next quarter, and the slot stays", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    on.faulty.failNext("renew", {}, 2);
    await on.clock.advanceAsync(10_000);
    expect(permit.lost.aborted).toBe(false);
    expect(leaseEvents(on)).toEqual([]);
    expect(await usedOf(on)).toBe(1);
    const failed = on.events.filter(({ type }) => type === "store_failed");
    expect(failed).toMatchObject([{ operation: "renew" }, { operation: "renew" }]);
    await on.limiter.close();
  });

  it("for a whole lease loses the slot, once", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "reject" });
    const permit = await take(on);
    on.faulty.failAlways("renew");
    await on.clock.advanceAsync(999);
    expect(permit.lost.aborted).toBe(false);
    await on.clock.advanceAsync(1);
    expect(permit.lost.aborted).toBe(true);
    expect(on.limiter.heldLeases).toBe(0);
    on.faulty.recover();
    await on.clock.advanceAsync(10_000);
    expect(leaseEvents(on)).toEqual(["lease_lost"]);
    expect(await usedOf(on)).toBe(0);
    await permit.release();
    expect(leaseEvents(on)).toEqual(["lease_lost"]);
  });

  it("but was applied keeps the slot", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    on.faulty.failNext("renew", { isApplied: true }, 3);
    await on.clock.advanceAsync(5_000);
    expect(permit.lost.aborted).toBe(false);
    expect(leaseEvents(on)).toEqual([]);
    await on.limiter.close();
  });
});

describe("A lease that is lost", () => {
  it("tells its permit, whether the signal was asked for before or after", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "reject" });
    const [early, late] = [await take(on), await take(on)];
    let aborts = 0;
    early.lost.addEventListener("abort", () => (aborts += 1));
    on.faulty.failAlways("renew");
    await on.clock.advanceAsync(5_000);
    expect(aborts).toBe(1);
    expect(late.lost.aborted).toBe(true);
    expect(leaseEvents(on)).toEqual(["lease_lost", "lease_lost"]);
    const lost = on.events.filter((event) => event.type === "lease_lost");
    expect(lost).toMatchObject([
      { permitId: early.id, limit: "slots", descriptor: { kind: "key", id: "k" } },
      { permitId: late.id, limit: "slots" },
    ]);
  });

  it("is not taken again, and its late closing frees nobody's slot", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "reject" });
    const one = concurrency({ name: "slots", max: 1, leaseMs: 1_000 });
    const permit = await take(on, one);
    on.faulty.failAlways("renew");
    await on.clock.advanceAsync(1_000);
    on.faulty.recover();
    const next = await take(on, one);
    await permit.release();
    expect(await usedOf(on, one)).toBe(1);
    await on.clock.advanceAsync(5_000);
    expect(next.lost.aborted).toBe(false);
    await on.limiter.close();
  });

  it("of several of one permit aborts its signal once", async () => {
    const on = setFaultyStage({ onStoreUnavailable: "reject" });
    const other = concurrency({ name: "other", max: 5, leaseMs: 1_000 });
    const permit = expectAdmitted(await on.limiter.admit(questionOf([slots, other])));
    let aborts = 0;
    permit.lost.addEventListener("abort", () => (aborts += 1));
    expect(on.limiter.heldLeases).toBe(2);
    on.faulty.failAlways("renew");
    await on.clock.advanceAsync(5_000);
    expect(aborts).toBe(1);
    expect(leaseEvents(on)).toEqual(["lease_lost", "lease_lost"]);
    expect(on.limiter.heldLeases).toBe(0);
  });
});

describe("A lease that the store forgot", () => {
  it("is entered again and reported, and newcomers wait until there is room", async () => {
    const on = setFaultyStage();
    const two = concurrency({ name: "slots", max: 2, leaseMs: 1_000 });
    const permits = [await take(on, two), await take(on, two)];
    on.faulty.forget();
    const stranger = await take(on, two);
    expect(await usedOf(on, two)).toBe(1);
    await on.clock.advanceAsync(250);
    expect(await usedOf(on, two)).toBe(3);
    expect(leaseEvents(on)).toEqual(["lease_adopted", "lease_adopted"]);
    await stranger.release();
    expect((await on.limiter.admit(questionOf([two]))).admitted).toBe(false);
    await permits[0]?.release();
    expect((await on.limiter.admit(questionOf([two]))).admitted).toBe(true);
    expect(permits.some(({ lost }) => lost.aborted)).toBe(false);
    await on.limiter.close();
  });

  it("is reported once for each time it was forgotten", async () => {
    const on = setFaultyStage();
    await take(on);
    for (let times = 0; times < 3; times += 1) {
      on.faulty.forget();
      await on.clock.advanceAsync(1_000);
    }
    expect(leaseEvents(on)).toEqual(["lease_adopted", "lease_adopted", "lease_adopted"]);
    await on.limiter.close();
  });

  it("is not entered again once its permit was closed", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    on.faulty.forget();
    await permit.release();
    await on.clock.advanceAsync(5_000);
    expect(await usedOf(on)).toBe(0);
    expect(leaseEvents(on)).toEqual([]);
  });
});

describe("A renewal that races the end of its permit", () => {
  it.each(["release", "refund", "settle"] as const)("by %s is no loss", async (how) => {
    const on = setFaultyStage();
    const permit = await take(on);
    const answer = on.faulty.holdAnswers("renew");
    await on.clock.advanceAsync(250);
    await permit[how]({ tokens: 1 });
    answer();
    await on.clock.advanceAsync(5_000);
    expect(leaseEvents(on)).toEqual([]);
    expect(permit.lost.aborted).toBe(false);
    expect(await usedOf(on)).toBe(0);
    expect(on.limiter.heldLeases).toBe(0);
  });

  it("and reaches the store after it is no loss", async () => {
    const on = setFaultyStage();
    const permit = await take(on);
    // The slot is freed between the moment the renewal is sent and the moment it is executed.
    const closing = permit.release();
    on.clock.advance(250);
    await closing;
    await on.clock.advanceAsync(5_000);
    expect(leaseEvents(on)).toEqual([]);
    expect(await usedOf(on)).toBe(0);
  });
});

describe("A permit that is held too long", () => {
  const brief = concurrency({ name: "slots", max: 1, leaseMs: 1_000, maxHoldMs: 3_000 });

  it("is reported once as overdue, and once as lost when its lease has run out", async () => {
    const on = setFaultyStage();
    const permit = await take(on, brief);
    await on.clock.advanceAsync(2_999);
    expect(leaseEvents(on)).toEqual([]);
    await on.clock.advanceAsync(1);
    expect(leaseEvents(on)).toEqual(["permit_overdue"]);
    const [event] = on.events.filter(({ type }) => type === "permit_overdue");
    expect(event).toMatchObject({ permitId: permit.id, limit: "slots", heldMs: 3_000 });
    expect(permit.lost.aborted).toBe(false);
    expect(await usedOf(on, brief)).toBe(1);
    // Its last renewal was at 2 750.
    await on.clock.advanceAsync(749);
    expect(permit.lost.aborted).toBe(false);
    await on.clock.advanceAsync(1);
    expect(permit.lost.aborted).toBe(true);
    expect(await usedOf(on, brief)).toBe(0);
    await on.clock.advanceAsync(100_000);
    expect(leaseEvents(on)).toEqual(["permit_overdue", "lease_lost"]);
  });

  it("and is closed before its lease has run out is not lost", async () => {
    const on = setFaultyStage();
    const permit = await take(on, brief);
    await on.clock.advanceAsync(3_000);
    await permit.release();
    expect(await usedOf(on, brief)).toBe(0);
    await on.clock.advanceAsync(100_000);
    expect(leaseEvents(on)).toEqual(["permit_overdue"]);
    expect(permit.lost.aborted).toBe(false);
    expect(on.clock.isIdle).toBe(true);
  });

  it("is not renewed any more", async () => {
    const on = setFaultyStage();
    await take(on, brief);
    await on.clock.advanceAsync(3_000);
    const renewals = batchesOf(on).length;
    await on.clock.advanceAsync(100_000);
    expect(batchesOf(on)).toHaveLength(renewals);
    expect(on.limiter.heldLeases).toBe(0);
  });
});

describe("A limiter that is closed", () => {
  it("renews nothing any more and leaves no timer, but its permits can be closed", async () => {
    const on = setFaultyStage();
    const permits = [await take(on), await take(on)];
    const before = on.clock.pendingTimers;
    await on.limiter.close();
    await on.limiter.close();
    expect(on.clock.pendingTimers).toBe(before - 1);
    await permits[0]?.release();
    expect(await usedOf(on)).toBe(1);
    await on.clock.advanceAsync(1_000);
    expect(batchesOf(on)).toEqual([]);
    expect(await usedOf(on)).toBe(0);
    expect(leaseEvents(on)).toEqual([]);
  });
});
