import { fixedWindow, type SettleCommand } from "@sluice/core";
import { everyCounter, LONG_MS } from "./every-counter";
import type { StoreCase } from "./store-case";

/** Of what a permit gives back, or turns out to have used. */
export const settlingCases: readonly StoreCase[] = everyCounter.flatMap(({ what, make }) => [
  {
    name: `a ${what} gets back what was refunded, once`,
    run: async (at) => {
      const question = at.question([make(10, LONG_MS)], { requests: 4 });
      await at.admit(question);
      const permit = await at.admit(question);
      await permit.refund();
      await permit.refund();
      await permit.settle({ requests: 0 });
      at.expect(await at.used(question)).toEqual([4]);
    },
  },
  {
    name: `a ${what} keeps what was released`,
    run: async (at) => {
      const question = at.question([make(10, LONG_MS)], { requests: 4 });
      const permit = await at.admit(question);
      await permit.release();
      await permit.refund();
      at.expect(await at.used(question)).toEqual([4]);
    },
  },
  {
    name: `a ${what} is corrected to what a request really cost`,
    run: async (at) => {
      const question = at.question([make(10, LONG_MS)], { requests: 4 });
      const cheap = await at.admit(question);
      const dear = await at.admit(question);
      await cheap.settle({ requests: 1 });
      at.expect(await at.used(question)).toEqual([5]);
      await dear.settle({ requests: 6 });
      at.expect(await at.used(question)).toEqual([7]);
    },
  },
  {
    name: `a ${what} may owe more than its max, and then admits nobody`,
    run: async (at) => {
      const question = at.question([make(3, LONG_MS)]);
      const permit = await at.admit(question);
      await permit.settle({ requests: 5 });
      at.expect(await at.used(question)).toEqual([5]);
      const { violated } = await at.refuse(question);
      at.expect(violated).toMatchObject([{ used: 5, remaining: 0 }]);
      await at.refuse({ ...question, cost: { requests: 0 } });
    },
  },
  {
    name: `a ${what} gets nothing back from a window that has ended`,
    needsExactTime: true,
    run: async (at) => {
      const question = at.question([make(3, 400)], { requests: 3 });
      const permit = await at.admit(question);
      await at.pass(2_000);
      await at.admit({ ...question, cost: { requests: 2 } });
      await permit.refund();
      at.expect(await at.used(question)).toEqual([2]);
    },
  },
  {
    name: `a ${what} takes what is owed for a window that has ended into the present one`,
    needsExactTime: true,
    run: async (at) => {
      const question = at.question([make(3, 400)]);
      const permit = await at.admit(question);
      await at.pass(2_000);
      await permit.settle({ requests: 6 });
      at.expect(await at.used(question)).toEqual([5]);
      await at.refuse(question);
    },
  },
]);

/** Of a settlement that may arrive more than once. */
export const settleOnceCases: readonly StoreCase[] = [
  {
    name: "applies a settlement with a record once, however often it arrives",
    run: async (at) => {
      const limit = fixedWindow({ max: 10, windowMs: LONG_MS });
      const question = at.question([limit], { requests: 4 });
      await at.admit(question);
      const id = at.freshId();
      const { descriptors } = question;
      const correction = { limit, charged: 0, actual: 3, chargedAt: undefined, serial: 0 };
      const settle: SettleCommand = {
        type: "settle",
        operationId: id,
        serial: 7,
        onceForMs: 60_000,
        targets: descriptors.map(({ kind, id }) => ({
          kind,
          id: String(id),
          corrections: [correction],
        })),
      };
      await at.store.settle(settle);
      await Promise.all([at.store.settle(settle), at.store.settle(settle)]);
      at.expect(await at.used(question)).toEqual([7]);
    },
  },
];
