import assert from "node:assert/strict";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import type { SeenRequest } from "../adapter-scenario";
import { answer, asking, perHour, threeLimits } from "./subjects";

function permitOf({ verdict }: SeenRequest) {
  assert.ok(verdict?.admitted, "the verdict is on the request");
  return verdict.permit;
}

const writes = (text: string): AdapterBehaviour => ({
  does: "take",
  write: (res) => void (res as { write(text: string): boolean }).write(text),
});

export const permitCases: readonly AdapterCase[] = [
  {
    name: "usage that the handler notes is settled at the end, the last note wins",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits);
      await at.serve([limits], {
        notes: (seen) => {
          permitOf(seen).usage({ tokens: 7 });
          permitOf(seen).usage({ tokens: 42 });
          return answer(200);
        },
      });
      await at.ask("/do/notes");
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 42, 0]);
      assert.deepEqual(at.journal.closings, ["settled"]);
    },
  },
  {
    name: "usage that was noted before the client left is settled",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits);
      await at.serve([limits], {
        notes: (seen) => {
          permitOf(seen).usage({ tokens: 7 });
          return writes("some");
        },
      });
      const leaving = at.open("/do/notes");
      await leaving.receives("some");
      leaving.leave();
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 7, 0]);
    },
  },
  {
    name: "a refund that the handler asks for is made at the end",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits);
      await at.serve([limits], {
        refunds: (seen) => {
          permitOf(seen).refundAtEnd();
          return answer(502);
        },
      });
      await at.ask("/do/refunds");
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [0, 0, 0]);
      assert.deepEqual(at.journal.closings, ["refunded"]);
    },
  },
  {
    name: "nothing is refunded by itself: what failed or was cut keeps its reservation",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits);
      await at.serve([limits], {
        fails: () => ({ does: "throw", error: new Error("from the handler") }),
        cut: () => writes("some"),
      });
      await at.ask("/do/fails");
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 100, 0]);
      const leaving = at.open("/do/cut");
      await leaving.receives("some");
      leaving.leave();
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [2, 200, 0]);
    },
  },
  ...(["release", "refund"] as const).map(
    (close): AdapterCase => ({
      name: `R020: a handler that closes its permit itself (${close}) closes it for good`,
      run: async (at) => {
        const limits = at.limitsMount(threeLimits);
        await at.serve([limits], {
          closes: (seen) => {
            const permit = permitOf(seen);
            void permit[close]();
            void permit.release();
            permit.refundAtEnd();
            return answer(200);
          },
        });
        await at.ask("/do/closes");
        const expected = close === "release" ? [1, 100, 0] : [0, 0, 0];
        assert.deepEqual(await at.used(limits.limiter, threeLimits), expected);
        // One slot, and not two: the next one holds it alone.
        const first = at.open("/do/held");
        await at.held.untilHolds(1);
        assert.equal((await at.ask("/do/ok")).status, 429);
        at.held.release();
        await first.answer;
      },
    }),
  ),
];

export const refundWhenCases: readonly AdapterCase[] = [
  {
    name: "E-26: refundWhen gives back what failed, and the own rejections never count",
    run: async (at) => {
      const question = asking([perHour(2)]);
      const limits = at.limitsMount(question, { refundWhen: ({ status }) => status >= 400 });
      await at.serve([limits], { wrong: () => answer(401) });
      assert.deepEqual(await at.statuses(3, "/do/wrong"), [401, 401, 401]);
      assert.deepEqual(await at.used(limits.limiter, question), [0]);
      assert.deepEqual(await at.statuses(4), [200, 200, 429, 429]);
      assert.deepEqual(await at.used(limits.limiter, question), [2]);
    },
  },
  {
    name: "R090: ten admitted and five rejected are ten, refunds of failures or not",
    run: async (at) => {
      const question = asking([perHour(10)]);
      const limits = at.limitsMount(question, { refundWhen: ({ status }) => status === 429 });
      await at.serve([limits]);
      const statuses = await at.statuses(15);
      assert.deepEqual(statuses, [...Array(10).fill(200), ...Array(5).fill(429)]);
      assert.deepEqual(await at.used(limits.limiter, question), [10]);
      assert.deepEqual(at.journal.closings, Array(10).fill("released"));
    },
  },
  {
    name: "refundWhen is told that a client has left before the answer was whole",
    run: async (at) => {
      const question = asking([perHour(5)]);
      const told: boolean[] = [];
      const limits = at.limitsMount(question, {
        refundWhen: ({ isComplete }) => {
          told.push(isComplete);
          return !isComplete;
        },
      });
      await at.serve([limits], { cut: () => writes("some") });
      const leaving = at.open("/do/cut");
      await leaving.receives("some");
      leaving.leave();
      assert.deepEqual(await at.used(limits.limiter, question), [0]);
      await at.ask("/do/ok");
      assert.deepEqual(await at.used(limits.limiter, question), [1]);
      assert.deepEqual(told, [false, true]);
    },
  },
  {
    name: "R090: a refundWhen that returns something else than true refunds nothing",
    run: async (at) => {
      const question = asking([perHour(5)]);
      const returned: unknown[] = [{}, "yes", 1, Promise.resolve(true), undefined];
      const refundWhen = () => returned.pop() as boolean;
      const limits = at.limitsMount(question, { refundWhen });
      await at.serve([limits]);
      assert.deepEqual(await at.statuses(5), [200, 200, 200, 200, 200]);
      assert.deepEqual(await at.used(limits.limiter, question), [5]);
      assert.equal(at.takeLateErrors().length, 5);
    },
  },
  {
    name: "a refundWhen that throws keeps the charge, and the answer that was given",
    run: async (at) => {
      const question = asking([perHour(5)]);
      const limits = at.limitsMount(question, {
        refundWhen: () => {
          throw new Error("from refundWhen");
        },
      });
      await at.serve([limits]);
      assert.equal((await at.ask("/do/ok")).status, 200);
      assert.deepEqual(await at.used(limits.limiter, question), [1]);
      assert.deepEqual(at.journal.closings, ["released"]);
      await at.until("somebody is told", () => at.takeLateErrors().length === 1);
    },
  },
];
