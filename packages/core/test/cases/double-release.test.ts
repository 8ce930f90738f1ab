import { concurrency, createLimiter, type LimiterPermit } from "@sluice/core";
import { FakeClock, seededRandom } from "@sluice/testing";
import { describe, expect, it } from "vitest";
import { eventsOf, setStage } from "../stage";
import { openStore } from "../store/store-under-test";
import { expectAdmitted } from "../verdicts";
import { questionOf, rejectionOf, usedOf } from "./attempts";

const single = [concurrency({ max: 1, leaseMs: 1_000 })];

type Close = (permit: LimiterPermit) => Promise<void>;
const closings: readonly Close[] = [
  (permit) => permit.release(),
  (permit) => permit.settle({ tokens: 3 }),
  (permit) => permit.refund(),
  (permit) => permit.finish(),
];

describe("R020: a permit that is closed several times", () => {
  for (const [first, close] of closings.entries()) {
    for (const [second, again] of closings.entries()) {
      it(`frees one slot, and only the first closing counts (${first}, ${second})`, async () => {
        const on = setStage();
        const permit = expectAdmitted(await on.limiter.admit(questionOf(single)));
        await Promise.all([close(permit), again(permit), permit.release(), permit.release()]);
        await again(permit);
        const [one, other] = await Promise.all([
          on.limiter.admit(questionOf(single)),
          on.limiter.admit(questionOf(single)),
        ]);
        expect([one.admitted, other.admitted]).toEqual([true, false]);
        // What was closed before must not free the slot of its successor.
        await close(permit);
        await again(permit);
        expect(await usedOf(on, single)).toEqual([1]);
        expect(eventsOf(on, "permit_closed")).toHaveLength(1);
        await on.limiter.close();
      });
    }
  }

  it("is closed once although its observer throws", async () => {
    const recorder = {
      record: () => {
        throw new Error("observer is broken");
      },
    };
    const limiter = createLimiter({ clock: new FakeClock(), recorder });
    const permit = expectAdmitted(await limiter.admit(questionOf(single)));
    await permit.release();
    await permit.release();
    expectAdmitted(await limiter.admit(questionOf(single)));
    expect((await rejectionOf({ limiter }, single)).reason).toBe("concurrency_exhausted");
    expect(await usedOf({ limiter }, single)).toEqual([1]);
    await limiter.close();
  });

  it("never lets more in than the limit, whoever closes what and how often", async () => {
    const on = setStage();
    const limits = [concurrency({ max: 3 })];
    const permits: LimiterPermit[] = [];
    for (let round = 0; round < 50; round += 1) {
      for (;;) {
        const verdict = await on.limiter.admit(questionOf(limits));
        if (!verdict.admitted) break;
        permits.push(verdict.permit);
      }
      expect(await usedOf(on, limits)).toEqual([3]);
      for (const permit of permits.filter((_, index) => index % 3 === round % 3)) {
        await closings[round % closings.length]?.(permit);
        await permit.release();
      }
      expect((await usedOf(on, limits))[0]).toBeGreaterThanOrEqual(0);
    }
    await on.limiter.close();
  });
});

describe("R023: a lease that lapsed while its holder's loop was blocked", () => {
  it("is not taken again by a renewal, and is reported once", async () => {
    const shared = new FakeClock();
    const store = openStore({ clock: shared });
    // The blocked loop: its clock stands still while that of the store and of the others goes on.
    const blocked = new FakeClock();
    const a = createLimiter({ store, clock: blocked, random: seededRandom(1) });
    const b = createLimiter({ store, clock: shared, random: seededRandom(2) });
    const held = expectAdmitted(await a.admit(questionOf(single)));
    let losses = 0;
    held.lost.addEventListener("abort", () => (losses += 1));

    await shared.advanceAsync(1_200);
    const taken = expectAdmitted(await b.admit(questionOf(single)));
    await shared.advanceAsync(600);
    await taken.release();
    await shared.advanceAsync(200);
    await blocked.advanceAsync(2_000);

    expect(losses).toBe(1);
    expect(held.lost.aborted).toBe(true);
    expect(a.heldLeases).toBe(0);
    expect(await usedOf({ limiter: b }, single)).toEqual([0]);
    await held.release();
    await blocked.advanceAsync(10_000);
    expect(losses).toBe(1);
    expect(await usedOf({ limiter: b }, single)).toEqual([0]);
    await a.close();
    await b.close();
  });

  it("stays with whoever took it meanwhile", async () => {
    const shared = new FakeClock();
    const store = openStore({ clock: shared });
    const blocked = new FakeClock();
    const a = createLimiter({ store, clock: blocked, random: seededRandom(1) });
    const b = createLimiter({ store, clock: shared, random: seededRandom(2) });
    const held = expectAdmitted(await a.admit(questionOf(single)));
    await shared.advanceAsync(1_200);
    const taken = expectAdmitted(await b.admit(questionOf(single)));
    await blocked.advanceAsync(1_200);
    expect(held.lost.aborted).toBe(true);
    await held.release();
    expect(await usedOf({ limiter: b }, single)).toEqual([1]);
    expect(taken.lost.aborted).toBe(false);
    await a.close();
    await b.close();
  });
});
