import assert from "node:assert/strict";
import type { Question } from "@sluice/core";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import type { AdapterTrial } from "../world/adapter-trial";
import { asking, atOnce, perHour, threeLimits } from "./subjects";

const now = Promise.resolve();

const failings: readonly (readonly [string, (error: unknown) => AdapterBehaviour])[] = [
  ["throws", (error) => ({ does: "throw", error })],
  ["rejects", (error) => ({ does: "reject", error, after: now })],
];

/** A gate and a limit of one slot each, in front of a handler that fails. */
async function serveFailing(at: AdapterTrial, fails: () => AdapterBehaviour): Promise<void> {
  const gate = at.gateMount({ maxInFlight: 1, queue: { max: 0 } });
  await at.serve([gate, at.limitsMount(asking([atOnce(1)]))], { fails });
}

class CarriesStatus extends Error {
  readonly status = 422;
  readonly statusCode = 422;
  readonly expose = true;
}

export const handlerErrorCases: readonly AdapterCase[] = [
  ...failings.map(
    ([how, failing]): AdapterCase => ({
      name: `R018: a handler that ${how} gets its request a 500, once, and frees what it held`,
      run: async (at) => {
        const error = new Error("from the handler");
        await serveFailing(at, () => failing(error));
        for (let round = 1; round <= 3; round += 1) {
          assert.equal((await at.ask("/do/fails")).status, 500);
          await at.untilIdle();
          assert.deepEqual(at.heard, Array(round).fill(error));
          assert.equal((await at.ask("/do/ok")).status, 200);
          await at.untilIdle();
        }
        assert.equal(at.journal.outcomes.includes("ignored"), false);
      },
    }),
  ),
  ...[
    ["frozen", Object.freeze(new Error("frozen"))],
    ["no error but a text", "a text"],
    ["no error but an object", Object.freeze({ reason: "none" })],
  ].map(
    ([what, error]): AdapterCase => ({
      name: `R018: what a handler throws may be ${what}`,
      run: async (at) => {
        await serveFailing(at, () => ({ does: "throw", error }));
        assert.equal((await at.ask("/do/fails")).status, 500);
        await at.untilIdle();
        assert.equal(at.heard.length, 1);
        assert.equal((await at.ask("/do/ok")).status, 200);
      },
    }),
  ),
  {
    name: "a handler that throws after it began to answer holds nothing once its client is gone",
    needs: "error-after-head",
    run: async (at) => {
      const error = new Error("after the head");
      await serveFailing(at, () => ({ does: "throw", error, hasBegun: true }));
      const begun = at.open("/do/fails");
      // Some break the answer off before the client has seen any of it.
      await begun.head.catch(() => {});
      begun.leave();
      await at.untilIdle();
      assert.equal((await at.ask("/do/ok")).status, 200);
    },
  },
  {
    name: "an error that carries a status is answered with it",
    needs: "error-status",
    run: async (at) => {
      await serveFailing(at, () => ({ does: "throw", error: new CarriesStatus("no entity") }));
      assert.equal((await at.ask("/do/fails")).status, 422);
    },
  },
  {
    name: "R054: rate-limit headers survive on the answer to an error",
    needs: "headers-of-errors",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(3)]))], {
        fails: () => ({ does: "throw", error: new Error("from the handler") }),
        frozen: () => ({ does: "reject", error: Object.freeze(new Error("frozen")), after: now }),
      });
      const failed = await at.ask("/do/fails");
      assert.deepEqual([failed.status, failed.headers.ratelimit], [500, '"rph";r=2;t=3600']);
      const frozen = await at.ask("/do/frozen");
      assert.deepEqual([frozen.status, frozen.headers.ratelimit], [500, '"rph";r=1;t=3600']);
    },
  },
];

const unusableIds: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["an empty text", ""],
  ["NaN", Number.NaN],
  ["an object", {}],
];

const failingPolicies: readonly (readonly [string, () => unknown])[] = [
  [
    "throws",
    () => {
      throw new Error("from the policy");
    },
  ],
  ["rejects", () => Promise.reject(new Error("from the policy"))],
  ["returns nothing", () => undefined],
  ["returns no question", () => ({})],
  ["resolves to no question", async () => "k1"],
];

export const policyErrorCases: readonly AdapterCase[] = [
  ...failingPolicies.map(
    ([how, policy]): AdapterCase => ({
      name: `a policy that ${how} is an error of the request: 500, once, and nothing is handled`,
      run: async (at) => {
        const gate = at.gateMount({ maxInFlight: 1, queue: { max: 0 } });
        await at.serve([gate, at.limitsMount(policy as () => Question)]);
        for (let round = 1; round <= 2; round += 1) {
          assert.equal((await at.ask("/do/ok")).status, 500);
          await at.untilIdle();
          assert.equal(at.heard.length, round);
        }
        assert.equal(at.seen.length, 0);
      },
    }),
  ),
  ...unusableIds.map(
    ([what, id]): AdapterCase => ({
      name: `R046: a key that is ${what} is an error of the request, not a bucket for all`,
      run: async (at) => {
        const descriptor = { kind: "api_key", id: id as string, limits: [perHour(1)] };
        await at.serve([at.limitsMount(() => ({ descriptors: [descriptor] }))]);
        assert.deepEqual(await at.statuses(2), [500, 500]);
        assert.equal(at.heard.length, 2);
        assert.deepEqual(at.journal.verdicts, 0);
      },
    }),
  ),
  {
    name: "a class that the gate does not have is an error of the request",
    run: async (at) => {
      const gate = { maxInFlight: 1, classes: { web: {} } };
      await at.serve([at.gateMount(gate, { class: () => "batch" })]);
      assert.equal((await at.ask("/do/ok")).status, 500);
      assert.equal(at.heard.length, 1);
      assert.equal(at.seen.length, 0);
    },
  },
  {
    name: "a class function that throws is an error of the request",
    run: async (at) => {
      const error = new Error("from the class");
      const classOf = (): string => {
        throw error;
      };
      await at.serve([at.gateMount({ maxInFlight: 1, classes: { web: {} } }, { class: classOf })]);
      assert.equal((await at.ask("/do/ok")).status, 500);
      assert.deepEqual(at.heard, [error]);
    },
  },
  {
    name: "E-20: a policy that says null, at once or later, lets its request pass unlimited",
    run: async (at) => {
      let times = 0;
      const policy = () => {
        times += 1;
        return times % 2 === 0 ? null : Promise.resolve(null);
      };
      await at.serve([at.limitsMount(policy)]);
      for (let i = 0; i < 4; i += 1) {
        const { status, headers } = await at.ask("/do/ok");
        assert.deepEqual([status, headers.ratelimit], [200, undefined]);
      }
      assert.deepEqual(
        at.seen.map(({ verdict }) => verdict),
        Array(4).fill(undefined),
      );
    },
  },
  {
    name: "a CORS preflight passes uncounted if the policy says so",
    run: async (at) => {
      const limits = at.limitsMount((req) => (req.method === "OPTIONS" ? null : threeLimits));
      await at.serve([limits]);
      const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
      const preflight = await at.ask("/do/ok", { method: "OPTIONS", headers });
      assert.deepEqual([preflight.status, preflight.headers.ratelimit], [200, undefined]);
      await at.ask("/do/ok", { method: "POST", body: "{}" });
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 100, 0]);
    },
  },
  {
    name: "E-19: a policy that takes its time keeps callers apart",
    run: async (at) => {
      await at.serve([
        at.limitsMount(async (req) => asking([perHour(2)], {}, String(req.headers["x-key"]))),
      ]);
      const statuses: number[] = [];
      for (const key of ["k1", "k1", "k2", "k1", "k2", "k2"]) {
        statuses.push((await at.ask("/do/ok", { headers: { "x-key": key } })).status);
      }
      assert.deepEqual(statuses, [200, 200, 200, 429, 200, 429]);
    },
  },
];
