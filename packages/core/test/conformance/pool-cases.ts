import { type PriorityPoolOptions, priorityPool } from "@sluice/core";
import { LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";
import type { StoreTrial } from "./store-trial";

const pool = (options: Partial<PriorityPoolOptions> = {}) =>
  priorityPool({
    ...{ name: "pool", windowMs: LONG_MS, capacity: { requests: 10, tokens: 100 } },
    ...{ shares: { a: 0.6, b: 0.4 }, whenSaturated: "strict" },
    ...options,
  });

function asking(at: StoreTrial, options: Partial<PriorityPoolOptions> = {}) {
  const question = at.question([pool(options)]);
  return (priority: string, cost: Readonly<Record<string, number>>) => ({
    ...question,
    priority,
    cost,
  });
}

/** Of pools: what classes find, and what is settled in one state of several units. */
export const poolCases: readonly StoreCase[] = [
  {
    name: "a strict pool keeps a class to its share once the threshold is passed",
    run: async (at) => {
      const ask = asking(at);
      await at.admit(ask("b", { requests: 4 }));
      at.expect((await at.refuse(ask("b", { requests: 2 }))).reason).toBe("share_exhausted");
      await at.admit(ask("a", { requests: 6 }));
      at.expect((await at.refuse(ask("b", { requests: 1 }))).reason).toBe("window_exhausted");
    },
  },
  {
    name: "a pool that lends sets aside what others may claim, and lends the rest",
    run: async (at) => {
      const ask = asking(at, { whenSaturated: "lend" });
      await at.admit(ask("b", { requests: 5 }));
      // a may claim 3 at the least, until half of the window has passed.
      await at.admit(ask("b", { requests: 2 }));
      at.expect((await at.refuse(ask("b", { requests: 1 }))).reason).toBe("share_exhausted");
      await at.admit(ask("a", { requests: 3 }));
    },
  },
  {
    name: "every unit of a pool has to pass, and then all are charged",
    run: async (at) => {
      const ask = asking(at);
      await at.refuse(ask("a", { requests: 1, tokens: 61 }));
      at.expect(await at.used(ask("a", { requests: 0, tokens: 0 }))).toEqual([0, 0]);
      await at.admit(ask("a", { requests: 1, tokens: 60 }));
      at.expect(await at.used(ask("a", { requests: 0, tokens: 0 }))).toEqual([1, 60]);
    },
  },
  {
    name: "a pool gets back what was refunded, the class with the capacity",
    run: async (at) => {
      const ask = asking(at);
      const permit = await at.admit(ask("b", { requests: 4, tokens: 40 }));
      await at.refuse(ask("b", { requests: 2, tokens: 20 }));
      await permit.settle({ requests: 1, tokens: 15 });
      at.expect(await at.used(ask("b", { requests: 0, tokens: 0 }))).toEqual([1, 15]);
      await at.admit(ask("b", { requests: 3, tokens: 25 }));
      await at.refuse(ask("b", { requests: 2 }));
    },
  },
  {
    name: "a pool may owe more than its capacity, and then admits nobody",
    run: async (at) => {
      const ask = asking(at);
      const permit = await at.admit(ask("b", { requests: 1, tokens: 1 }));
      await permit.settle({ tokens: 130 });
      at.expect(await at.used(ask("b", { requests: 0, tokens: 0 }))).toEqual([1, 130]);
      await at.refuse(ask("a", { requests: 1, tokens: 0 }));
    },
  },
  {
    name: "a pool forgets everything at a reset",
    run: async (at) => {
      const ask = asking(at);
      await at.admit(ask("b", { requests: 4, tokens: 40 }));
      await at.limiter.reset(ask("b", {}));
      at.expect(await at.used(ask("b", { requests: 0, tokens: 0 }))).toEqual([0, 0]);
    },
  },
  {
    name: "a pool that is met with another window starts fresh",
    run: async (at) => {
      const question = at.question([pool()]);
      await at.admit({ ...question, cost: { requests: 3 } });
      const [descriptor] = question.descriptors;
      const limits = [pool({ windowMs: LONG_MS / 2 })];
      const other = { descriptors: [{ ...descriptor, limits }] } as typeof question;
      await at.admit(other);
      at.expect(await at.used(other)).toEqual([1, 0]);
      const told = at.events.map(({ type }) => type).filter((type) => type !== "store_called");
      at.expect(told).toEqual(["verdict", "state_replaced", "verdict"]);
    },
  },
];
