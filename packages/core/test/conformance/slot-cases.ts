import {
  type ConcurrencyLimit,
  concurrency,
  type LeaseToRenew,
  type RenewedLease,
} from "@sluice/core";
import type { StoreCase } from "./store-case";
import type { StoreTrial } from "./store-trial";

const FAR_MS = 60_000;

/** A limit of slots on a subject of its own, by the commands of a store. */
class SlotsOf {
  readonly limit: ConcurrencyLimit;
  readonly #at: StoreTrial;
  readonly #target: { readonly kind: string; readonly id: string };

  constructor(at: StoreTrial, max: number, leaseMs = FAR_MS) {
    this.#at = at;
    this.limit = concurrency({ name: "slots", max, leaseMs });
    this.#target = { kind: "conformance", id: at.freshId() };
  }

  /** Takes a slot; the end of the lease in the store's time, or nothing if none was free. */
  async take(operationId: string, limit = this.limit): Promise<number | undefined> {
    const { admitted, checks } = await this.#at.store.admit({
      type: "admit",
      operationId,
      serial: 1,
      cost: { requests: 1, tokens: 0 },
      targets: [{ ...this.#target, limits: [limit] }],
    });
    return admitted ? checks[0]?.chargedAt : undefined;
  }

  async release(operationId: string): Promise<void> {
    const targets = [{ ...this.#target, limits: [this.limit] }];
    await this.#at.store.release({ type: "release", operationId, targets });
  }

  async renew(operationId: string, expiresAtMs: number): Promise<RenewedLease["fate"]> {
    const lease: LeaseToRenew = { limit: this.limit, operationId, expiresAtMs };
    const targets = [{ ...this.#target, leases: [lease] }];
    const { leases } = await this.#at.store.renew({ type: "renew", serial: 2, targets });
    return (leases[0] as RenewedLease).fate;
  }

  async used(): Promise<number | undefined> {
    const { checks } = await this.#at.store.peek({
      type: "peek",
      cost: { requests: 1, tokens: 0 },
      targets: [{ ...this.#target, limits: [this.limit] }],
    });
    return checks[0]?.used;
  }
}

/** Of slots and their leases. */
export const slotCases: readonly StoreCase[] = [
  {
    name: "slots: gives out max, refuses more, and gives out again what is released",
    run: async (at) => {
      const question = at.question([concurrency({ max: 2 })]);
      const first = await at.admit(question);
      await at.admit(question);
      const { reason, retryAfterMs = 0 } = await at.refuse(question);
      at.expect(reason).toBe("concurrency_exhausted");
      at.expect(retryAfterMs).toBeGreaterThan(0);
      await first.release();
      await at.admit(question);
      await at.refuse(question);
    },
  },
  {
    name: "slots: never more than max of questions that come together",
    run: async (at) => {
      const question = at.question([concurrency({ max: 7 })]);
      const others = [at.limiter, at.openLimiter()];
      const verdicts = await Promise.all(
        Array.from({ length: 60 }, (_, index) => others[index % 2]?.admit(question)),
      );
      at.expect(verdicts.filter((verdict) => verdict?.admitted).length).toBe(7);
      at.expect(await at.used(question)).toEqual([7]);
    },
  },
  {
    name: "slots: a release frees one slot, once, and only its holder's",
    run: async (at) => {
      const slots = new SlotsOf(at, 3);
      for (const id of ["a", "b", "c"]) await slots.take(id);
      await slots.release("a");
      await slots.release("a");
      await slots.release("nobody");
      at.expect(await slots.used()).toBe(2);
      at.expect((await slots.take("d")) !== undefined).toBe(true);
      at.expect(await slots.take("e")).toBe(undefined);
    },
  },
  {
    name: "slots: a lease that nobody renews ends, and its late release frees nobody else's",
    run: async (at) => {
      const slots = new SlotsOf(at, 1, 120);
      await slots.take("dead");
      at.expect(await slots.take("early")).toBe(undefined);
      await at.pass(120);
      const long = concurrency({ name: "slots", max: 1, leaseMs: FAR_MS });
      at.expect((await slots.take("next", long)) !== undefined).toBe(true);
      await slots.release("dead");
      at.expect(await slots.used()).toBe(1);
      at.expect(await slots.take("third", long)).toBe(undefined);
    },
  },
  {
    name: "slots: a lease that has expired is lost for good, also while its slot is free",
    run: async (at) => {
      const slots = new SlotsOf(at, 2, 60);
      const expiresAtMs = (await slots.take("late")) as number;
      await at.pass(60);
      at.expect(await slots.renew("late", expiresAtMs)).toBe("lost");
      at.expect(await slots.used()).toBe(0);
    },
  },
  {
    name: "slots: a renewal before the end prolongs, to the millisecond",
    needsExactTime: true,
    run: async (at) => {
      const slots = new SlotsOf(at, 1, 100);
      const expiresAtMs = (await slots.take("holder")) as number;
      await at.pass(99);
      at.expect(await slots.renew("holder", expiresAtMs)).toBe("renewed");
      await at.pass(99);
      at.expect(await slots.take("other")).toBe(undefined);
      at.expect(await slots.used()).toBe(1);
      await at.pass(1);
      at.expect((await slots.take("other")) !== undefined).toBe(true);
      at.expect(await slots.renew("holder", expiresAtMs + 99)).toBe("lost");
    },
  },
  {
    name: "slots: a renewal is answered as such",
    run: async (at) => {
      const slots = new SlotsOf(at, 1);
      const expiresAtMs = (await slots.take("holder")) as number;
      at.expect(await slots.renew("holder", expiresAtMs)).toBe("renewed");
      at.expect(await slots.used()).toBe(1);
    },
  },
  {
    name: "slots: a lease that is missing before its time is adopted, and newcomers wait",
    run: async (at) => {
      const slots = new SlotsOf(at, 1);
      const expiresAtMs = (await slots.take("known")) as number;
      at.expect(await slots.renew("forgotten", expiresAtMs)).toBe("adopted");
      at.expect(await slots.used()).toBe(2);
      await slots.release("known");
      at.expect(await slots.take("newcomer")).toBe(undefined);
      await slots.release("forgotten");
      at.expect((await slots.take("newcomer")) !== undefined).toBe(true);
    },
  },
  {
    name: "slots: a renewal and a release that come together leave it free",
    run: async (at) => {
      const slots = new SlotsOf(at, 1);
      const expiresAtMs = (await slots.take("holder")) as number;
      await Promise.all([slots.renew("holder", expiresAtMs), slots.release("holder")]);
      // Whoever comes last decides; the holder has stopped renewing, so it releases again at most.
      await slots.release("holder");
      at.expect(await slots.used()).toBe(0);
    },
  },
  {
    name: "slots: a lower max puts nobody out, and lets nobody in above it",
    run: async (at) => {
      const slots = new SlotsOf(at, 4);
      for (const id of ["a", "b", "c", "d"]) await slots.take(id);
      const lower = concurrency({ name: "slots", max: 2, leaseMs: FAR_MS });
      at.expect(await slots.used()).toBe(4);
      await slots.release("a");
      await slots.release("b");
      at.expect(await slots.take("e", lower)).toBe(undefined);
      await slots.release("c");
      at.expect((await slots.take("e", lower)) !== undefined).toBe(true);
    },
  },
  {
    name: "slots: a reset keeps the leases of the living",
    run: async (at) => {
      const question = at.question([concurrency({ max: 1 })]);
      await at.admit(question);
      await at.limiter.reset(question);
      at.expect(await at.used(question)).toEqual([1]);
      await at.refuse(question);
    },
  },
  {
    name: "slots: max 0 gives out none",
    run: async (at) => {
      const { reason, retryable } = await at.refuse(at.question([concurrency({ max: 0 })]));
      at.expect([reason, retryable]).toEqual(["cost_exceeds_limit", false]);
    },
  },
];
