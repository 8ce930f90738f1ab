import { concurrency, type Limiter, type LimiterPermit } from "@sluice/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectSwept } from "../cases/attempts";
import { runs } from "../runs";
import { eventsOf, type Stage, setStage, startsMs } from "../stage";
import { openStore } from "../store/store-under-test";
import { expectAdmitted, expectRejected } from "../verdicts";

const startMs = fc.constantFrom(...startsMs);
const leaseMs = fc.constantFrom(100, 400, 1_001, 30_000);
const max = fc.integer({ min: 1, max: 5 });

describe("Law 6, a slot belongs to its holder:", () => {
  it("there are never more than max live leases, and exactly max can be had", async () => {
    const moves = fc.array(fc.oneof(fc.constant("take" as const), fc.nat({ max: 9 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(startMs, max, moves, async (at, most, all) => {
        const on = setStage({ startMs: at });
        const question = questionOn({ max: most });
        const held: LimiterPermit[] = [];
        const closed: LimiterPermit[] = [];
        for (const move of all) {
          if (move === "take") {
            const verdict = await on.limiter.admit(question);
            expect(verdict.admitted).toBe(held.length < most);
            if (verdict.admitted) held.push(verdict.permit);
          } else {
            // Closing what is closed must not free the slot of somebody else.
            for (const again of closed) await again.release();
            const [freed] = held.splice(move % Math.max(1, held.length), 1);
            await freed?.refund();
            if (freed !== undefined) closed.push(freed);
          }
          expect(await used(on)).toBe(held.length);
          expect(on.limiter.heldLeases).toBe(held.length);
          await on.clock.advanceAsync(7_001);
        }
        await on.limiter.close();
      }),
      runs(50),
    );
  });

  it("the slot of a crashed holder is back within leaseMs while others keep the key busy", async () => {
    const upMs = fc.nat({ max: 100_000 });
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, upMs, async (at, lease, up) => {
        const on = setStage({ startMs: at });
        const question = questionOn({ max: 2, leaseMs: lease });
        const doomed = on.openProcess();
        expectAdmitted(await doomed.admit(question));
        await on.clock.advanceAsync(Math.min(up, 20 * lease));
        await doomed.close();
        const crashedMs = on.clock.nowMs();
        const other = expectAdmitted(await on.limiter.admit(question));
        expect(await used(on)).toBe(2);
        let freeMs: number | undefined;
        const step = Math.ceil(lease / 10);
        while (freeMs === undefined) {
          expectSlotsTaken(await on.limiter.admit(question));
          await on.clock.advanceAsync(step);
          if ((await used(on)) === 1) freeMs = on.clock.nowMs() - crashedMs;
          expect(on.clock.nowMs() - crashedMs).toBeLessThanOrEqual(lease + step);
        }
        expect(freeMs).toBeGreaterThan(lease / 2);
        expectAdmitted(await on.limiter.admit(question));
        expect(other.lost.aborted).toBe(false);
        await on.limiter.close();
      }),
      runs(40),
    );
  });

  it("a lease of a holder that crashes at once ends exactly after leaseMs", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, async (at, lease) => {
        const on = setStage({ startMs: at });
        const question = questionOn({ max: 1, leaseMs: lease });
        const doomed = on.openProcess();
        expectAdmitted(await doomed.admit(question));
        await doomed.close();
        await on.clock.advanceAsync(lease - 1);
        expectSlotsTaken(await on.limiter.admit(question));
        await on.clock.advanceAsync(1);
        expectAdmitted(await on.limiter.admit(question));
        await on.limiter.close();
      }),
      runs(40),
    );
  });

  it("a living holder keeps its slot for as long as it likes", async () => {
    const leases = fc.integer({ min: 1, max: 100 });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        leaseMs,
        leases,
        fc.nat({ max: 99 }),
        async (at, lease, count, ms) => {
          const on = setStage({ startMs: at });
          const question = questionOn({ max: 1, leaseMs: lease });
          const permit = expectAdmitted(await on.limiter.admit(question));
          await on.clock.advanceAsync(count * lease + ms);
          expectSlotsTaken(await on.limiter.admit(question));
          expect(permit.lost.aborted).toBe(false);
          await permit.release();
          expectAdmitted(await on.limiter.admit(question));
          expect(eventsOf(on, "lease_lost")).toHaveLength(0);
          expect(eventsOf(on, "permit_overdue")).toHaveLength(0);
          await on.limiter.close();
        },
      ),
      runs(40),
    );
  });

  it("a permit that is held too long is reported once, and its slot runs out within leaseMs", async () => {
    const holds = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, holds, async (at, lease, count) => {
        const on = setStage({ startMs: at });
        const maxHoldMs = lease * count;
        const question = questionOn({ max: 1, leaseMs: lease, maxHoldMs });
        const permit = expectAdmitted(await on.limiter.admit(question));
        await on.clock.advanceAsync(maxHoldMs - 1);
        expect(await used(on)).toBe(1);
        expect(eventsOf(on, "permit_overdue")).toHaveLength(0);
        await on.clock.advanceAsync(lease + 1);
        expect(await used(on)).toBe(0);
        const overdue = eventsOf(on, "permit_overdue");
        expect(overdue.map(({ permitId }) => permitId)).toEqual([permit.id]);
        expect(overdue[0]?.heldMs).toBeGreaterThanOrEqual(maxHoldMs);
        await on.clock.advanceAsync(5 * lease);
        expect(eventsOf(on, "permit_overdue")).toHaveLength(1);
        expect(eventsOf(on, "lease_lost").length).toBeLessThanOrEqual(1);
        expect(await used(on)).toBe(0);
        await permit.release();
        await on.limiter.close();
      }),
      runs(40),
    );
  });

  it("a lease that ended while its holder was paused is lost once and never taken again", async () => {
    const paused = fc.integer({ min: 1, max: 50 });
    await fc.assert(
      fc.asyncProperty(
        startMs,
        leaseMs,
        paused,
        fc.boolean(),
        async (at, lease, count, isTaken) => {
          const on = setStage({ startMs: at });
          const pausing = on.openPausingProcess();
          const question = questionOn({ max: 1, leaseMs: lease });
          const permit = expectAdmitted(await pausing.limiter.admit(question));
          let aborts = 0;
          permit.lost.addEventListener("abort", () => {
            aborts += 1;
          });
          await on.clock.advanceAsync(count * lease);
          if (isTaken) expectAdmitted(await on.limiter.admit(question));
          await pausing.clock.advanceAsync(lease);
          expect(await used(on)).toBe(isTaken ? 1 : 0);
          expect(eventsOf(on, "lease_lost").map(({ permitId }) => permitId)).toEqual([permit.id]);
          expect(permit.lost.aborted).toBe(true);
          await pausing.clock.advanceAsync(5 * lease);
          await permit.release();
          await pausing.clock.advanceAsync(lease);
          expect(await used(on)).toBe(isTaken ? 1 : 0);
          expect(eventsOf(on, "lease_lost")).toHaveLength(1);
          expect(aborts).toBe(1);
          expect(pausing.limiter.heldLeases).toBe(0);
          await pausing.limiter.close();
          await on.limiter.close();
        },
      ),
      runs(40),
    );
  });

  it("a lease that ended while its holder was paused is not lost if it is closed first", async () => {
    const how = fc.constantFrom("settle", "release", "refund");
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, how, fc.boolean(), async (at, lease, close, isTaken) => {
        const on = setStage({ startMs: at });
        const pausing = on.openPausingProcess();
        const question = questionOn({ max: 1, leaseMs: lease });
        const permit = expectAdmitted(await pausing.limiter.admit(question));
        await on.clock.advanceAsync(lease);
        if (isTaken) expectAdmitted(await on.limiter.admit(question));
        if (close === "settle") await permit.settle({});
        if (close === "release") await permit.release();
        if (close === "refund") await permit.refund();
        await pausing.clock.advanceAsync(2 * lease);
        expect(await used(on)).toBe(isTaken ? 1 : 0);
        expect(permit.lost.aborted).toBe(false);
        expect(eventsOf(on, "lease_lost")).toHaveLength(0);
        await pausing.limiter.close();
        await on.limiter.close();
      }),
      runs(30),
    );
  });

  it("a lease that the store forgot is adopted and reported, and newcomers wait", async () => {
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, max, async (at, lease, most) => {
        const on = setStage({ startMs: at });
        const emptied = emptiableStore(on);
        const limiter = on.openProcess(emptied.store);
        const question = questionOn({ max: most, leaseMs: lease });
        const permits = await takeAll(limiter, question, most);
        emptied.empty();
        await on.clock.advanceAsync(Math.ceil(lease / 4) + 1);
        expectSlotsTaken(await limiter.admit(question));
        const adopted = eventsOf(on, "lease_adopted").map(({ permitId }) => permitId);
        expect(adopted.sort()).toEqual(permits.map(({ id }) => id).sort());
        expect(permits.some((permit) => permit.lost.aborted)).toBe(false);
        expect(eventsOf(on, "lease_lost")).toHaveLength(0);
        await permits[0]?.release();
        expectAdmitted(await limiter.admit(question));
        await limiter.close();
      }),
      runs(20),
    );
  });

  it("a release at the very instant of a renewal is no loss", async () => {
    const quarters = fc.integer({ min: 1, max: 8 });
    await fc.assert(
      fc.asyncProperty(startMs, leaseMs, quarters, async (at, lease, count) => {
        const on = setStage({ startMs: at });
        const question = questionOn({ max: 1, leaseMs: lease });
        const permit = expectAdmitted(await on.limiter.admit(question));
        await on.clock.advanceAsync(Math.max(0, Math.floor((count * lease) / 4) - 1));
        on.clock.advance(1);
        await permit.release();
        await on.clock.advanceAsync(2 * lease);
        expect(eventsOf(on, "lease_lost")).toHaveLength(0);
        expect(eventsOf(on, "lease_adopted")).toHaveLength(0);
        expect(permit.lost.aborted).toBe(false);
        expect(await used(on)).toBe(0);
        await on.limiter.close();
      }),
      runs(40),
    );
  });

  it("nothing is pending once the permits are closed", async () => {
    await fc.assert(
      fc.asyncProperty(leaseMs, fc.integer({ min: 1, max: 30 }), async (lease, count) => {
        const on = setStage();
        const question = questionOn({ max: count, leaseMs: lease });
        const permits = await takeAll(on.limiter, question, count);
        await on.clock.advanceAsync(3 * lease);
        for (const permit of permits) await permit.release();
        expect(on.limiter.heldLeases).toBe(0);
        await on.limiter.close();
        expect(on.clock.keepAliveTimers).toBe(0);
        await on.clock.runUntilIdle(10 * lease + 3_600_000);
        expectSwept(on);
      }),
      runs(20),
    );
  });
});

interface Slots {
  readonly max: number;
  readonly leaseMs?: number;
  readonly maxHoldMs?: number;
}

function questionOn(options: Slots) {
  const limits = [concurrency({ name: "slots", ...options })];
  return { descriptors: [{ kind: "key", id: "k", limits }] };
}

async function used(on: Stage): Promise<number | undefined> {
  return (await on.limiter.peek(questionOn({ max: 9 }))).statuses[0]?.used;
}

async function takeAll(
  limiter: Limiter,
  question: ReturnType<typeof questionOn>,
  count: number,
): Promise<LimiterPermit[]> {
  const permits: LimiterPermit[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    permits.push(expectAdmitted(await limiter.admit(question)));
  }
  return permits;
}

function expectSlotsTaken(verdict: Awaited<ReturnType<Limiter["admit"]>>): void {
  const rejection = expectRejected(verdict, "concurrency_exhausted");
  expect(rejection.retryable).toBe(true);
  expect(rejection.retryAfterMs).toBeGreaterThan(0);
  for (const status of rejection.violated) expect(status).not.toHaveProperty("retryAfterMs");
}

/** A store that can lose everything at once, as a store does that is emptied by its operator. */
function emptiableStore({ clock }: Stage) {
  let current = openStore({ clock });
  const store = new Proxy(current, {
    get: (_target, name) => {
      const value: unknown = Reflect.get(current, name, current);
      return typeof value === "function" ? value.bind(current) : value;
    },
  });
  const empty = () => {
    current = openStore({ clock });
  };
  return { store, empty };
}
