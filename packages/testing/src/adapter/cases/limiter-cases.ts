import assert from "node:assert/strict";
import { fixedWindow } from "@sluice/core";
import type { AdapterCase } from "../adapter-case";
import { UnreachableStore } from "../world/unreachable-store";
import { asking, atOnce, hourMs, perHour } from "./subjects";

export const limiterCases: readonly AdapterCase[] = [
  {
    name: "R056: a store that is away is 503 with the configured hint, under the policy reject",
    run: async (at) => {
      const store = new UnreachableStore();
      store.isAway = true;
      const limiter = at.limiter({
        store,
        onStoreUnavailable: "reject",
        storeUnavailableRetryAfterMs: 7000,
      });
      await at.serve([at.limitsMount(asking([perHour(1)]), {}, { limiter })]);
      const { status, headers, body } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [503, "7"]);
      assert.equal(JSON.parse(body).reason, "store_unavailable");
      assert.equal(at.seen.length, 0);
      assert.deepEqual(at.heard, []);
    },
  },
  {
    name: "a store that is away lets everything pass, under the policy admit",
    run: async (at) => {
      const store = new UnreachableStore();
      store.isAway = true;
      const limiter = at.limiter({ store, onStoreUnavailable: "admit" });
      await at.serve([at.limitsMount(asking([perHour(1)]), {}, { limiter })]);
      assert.deepEqual(await at.statuses(3), [200, 200, 200]);
      assert.equal(at.seen[0]?.verdict?.admitted, true);
      assert.deepEqual(at.seen[0]?.verdict?.statuses, []);
    },
  },
  {
    name: "a store that is away leaves this process its part of each limit, under the policy local",
    run: async (at) => {
      const store = new UnreachableStore();
      store.isAway = true;
      const limiter = at.limiter({ store, onStoreUnavailable: "local" });
      // Two processes share the store: each has two of four.
      await at.serve([at.limitsMount(asking([perHour(4)]), {}, { limiter })]);
      assert.deepEqual(await at.statuses(3), [200, 200, 429]);
      assert.equal(at.seen[0]?.verdict?.statuses[0]?.source, "local");
    },
  },
  {
    name: "a store that goes away while a request is handled takes nothing from its answer",
    run: async (at) => {
      const store = new UnreachableStore();
      const limiter = at.limiter({ store, onStoreUnavailable: "admit" });
      await at.serve([at.limitsMount(asking([perHour(4)]), {}, { limiter })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      store.isAway = true;
      at.held.release();
      const { status, body } = await first.answer;
      assert.deepEqual([status, body], [200, "held"]);
      assert.deepEqual(at.heard, []);
    },
  },
  {
    name: "R086: a limit in shadow rejects nobody, and the verdict says what it would have done",
    run: async (at) => {
      const shadow = fixedWindow({ max: 1, windowMs: hourMs, name: "rph", mode: "shadow" });
      await at.serve([at.limitsMount(asking([shadow]))]);
      assert.deepEqual(await at.statuses(5), [200, 200, 200, 200, 200]);
      const would = at.seen.map(({ verdict }) => verdict?.statuses[0]?.wouldReject === true);
      assert.deepEqual(would, [false, true, true, true, true]);
    },
  },
  {
    name: "who may wait for a limit goes on when a slot comes back",
    run: async (at) => {
      const limits = at.limitsMount(asking([atOnce(1)], { maxWaitMs: 60_000 }));
      await at.serve([limits]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const second = at.open("/do/ok");
      await at.until("one waits", () => limits.limiter.stats().queued === 1);
      assert.equal(at.seen.length, 1);
      at.held.release();
      assert.deepEqual([(await first.answer).status, (await second.answer).status], [200, 200]);
    },
  },
  {
    name: "who has waited for a limit as long as it may is rejected",
    run: async (at) => {
      const limits = at.limitsMount(asking([atOnce(1)], { maxWaitMs: 500 }));
      await at.serve([limits]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const second = at.open("/do/ok");
      await at.until("one waits", () => limits.limiter.stats().queued === 1);
      await at.clock.advanceAsync(500);
      const { status, body } = await second.answer;
      assert.ok([429, 503].includes(status), `expected 429 or 503, received ${status}`);
      assert.match(JSON.parse(body).reason, /^(queue_timeout|concurrency_exhausted)$/);
      at.held.release();
      await first.answer;
      assert.equal(at.seen.length, 1);
    },
  },
  {
    name: "limits of a plan may differ from request to request",
    run: async (at) => {
      await at.serve([
        at.limitsMount((req) => {
          const plan = String(req.headers["x-plan"]);
          return asking([perHour(plan === "paid" ? 3 : 1)], {}, plan);
        }),
      ]);
      const trial = { headers: { "x-plan": "trial" } };
      const paid = { headers: { "x-plan": "paid" } };
      assert.deepEqual(await at.statuses(2, "/do/ok", trial), [200, 429]);
      assert.deepEqual(await at.statuses(4, "/do/ok", paid), [200, 200, 200, 429]);
    },
  },
];
