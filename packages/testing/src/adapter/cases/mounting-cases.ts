import assert from "node:assert/strict";
import type { AdapterCase } from "../adapter-case";
import { asking, atOnce, perHour, threeLimits } from "./subjects";

export const mountingCases: readonly AdapterCase[] = [
  {
    name: "R089: limits that are mounted twice charge once, and hold one slot",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits, {}, { times: 2 });
      await at.serve([limits]);
      const { status, headers } = await at.ask("/do/ok");
      assert.equal(status, 200);
      assert.match(String(headers.ratelimit), /^"rph";r=2;/);
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 100, 0]);
      assert.equal(at.journal.verdicts, 1);
    },
  },
  {
    name: "R089: limits that are mounted twice reject once",
    run: async (at) => {
      const limits = at.limitsMount(asking([perHour(1)]), {}, { times: 2 });
      await at.serve([limits]);
      assert.deepEqual(await at.statuses(3), [200, 429, 429]);
      assert.equal(at.journal.verdicts, 3);
    },
  },
  {
    name: "R089: a gate that is mounted twice takes one slot",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate, {}, { times: 2 })]);
      assert.deepEqual(await at.statuses(2), [200, 200]);
      await at.untilIdle();
      assert.deepEqual([gate.stats().admitted, gate.stats().rejected], [2, 0]);
    },
  },
  {
    name: "R089: two limits that differ both charge, and the tighter one rejects",
    run: async (at) => {
      const wide = asking([perHour(10)], {}, "wide");
      const tight = asking([perHour(2)], {}, "tight");
      const outer = at.limitsMount(wide);
      const inner = at.limitsMount(tight);
      await at.serve([outer, inner]);
      assert.deepEqual(await at.statuses(3), [200, 200, 429]);
      assert.deepEqual(await at.used(inner.limiter, tight), [2]);
      // The outer one had admitted all three; only the handler could ask for a refund.
      assert.deepEqual(await at.used(outer.limiter, wide), [3]);
      assert.equal(at.journal.closings.length, 5);
    },
  },
  {
    name: "two limits in a row give both their slots back, and the verdict is of the latter",
    run: async (at) => {
      const first = at.limitsMount(asking([atOnce(5)], {}, "first"));
      const second = at.limitsMount(asking([atOnce(1)], {}, "second"));
      await at.serve([first, second]);
      const held = at.open("/do/held");
      await at.held.untilHolds(1);
      assert.equal((await at.ask("/do/ok")).status, 429);
      await at.until("the first has its slot back", () => first.limiter.heldLeases === 1);
      at.held.release();
      await held.answer;
      await at.untilIdle();
      assert.equal(at.seen[0]?.verdict?.statuses[0]?.max, 1);
    },
  },
  {
    name: "two gates in a row give both their slots back",
    run: async (at) => {
      const outer = at.gate({ maxInFlight: 5 });
      const inner = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(outer), at.gateMount(inner)]);
      const held = at.open("/do/held");
      await at.held.untilHolds(1);
      assert.equal((await at.ask("/do/ok")).status, 503);
      await at.until("the outer one has its slot back", () => outer.stats().inFlight === 1);
      at.held.release();
      assert.equal((await held.answer).status, 200);
    },
  },
  {
    name: "a rejection by limits frees the gate in front of them, and says nothing about load",
    run: async (at) => {
      const gate = at.gateMount({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([gate, at.limitsMount(asking([perHour(1)]))]);
      for (const expected of [200, 429, 429]) {
        assert.equal((await at.ask("/do/ok")).status, expected);
        await at.untilIdle();
      }
      assert.deepEqual(at.journal.outcomes, ["success", "ignored", "ignored"]);
    },
  },
  {
    name: "limits below a path leave all other paths alone",
    run: async (at) => {
      const question = asking([perHour(1)]);
      const limits = at.limitsMount(question, {}, { at: "/api" });
      await at.serve([limits]);
      assert.deepEqual(await at.statuses(2), [200, 200]);
      assert.deepEqual(await at.used(limits.limiter, question), [0]);
      assert.deepEqual(await at.statuses(2, "/api/do/ok"), [200, 429]);
      assert.equal(at.seen.at(-1)?.url, "/api/do/ok");
    },
  },
  {
    name: "a gate below a path holds only what is there, inside limits for all",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      const limits = at.limitsMount(asking([perHour(4)]));
      await at.serve([limits, at.gateMount(gate, {}, { at: "/api" })]);
      const held = at.open("/api/do/held");
      await at.held.untilHolds(1);
      assert.deepEqual(await at.statuses(1, "/api/do/ok"), [503]);
      assert.deepEqual(await at.statuses(2), [200, 200]);
      assert.deepEqual(await at.statuses(1, "/api/do/ok"), [429]);
      at.held.release();
      assert.equal((await held.answer).status, 200);
    },
  },
];
