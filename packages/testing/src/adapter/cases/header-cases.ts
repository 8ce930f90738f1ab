import assert from "node:assert/strict";
import { concurrency, fixedWindow } from "@sluice/core";
import type { AdapterCase } from "../adapter-case";
import { answer, asking, atOnce, hourMs, perHour, threeLimits, tokensPerHour } from "./subjects";

const rateLimitFields = (headers: Readonly<Record<string, unknown>>) =>
  Object.keys(headers).filter((name) => name.includes("ratelimit"));

export const admittedHeaderCases: readonly AdapterCase[] = [
  {
    name: "E-22: an admitted answer says where the caller stands, and nothing of waiting",
    run: async (at) => {
      await at.serve([at.limitsMount(threeLimits)]);
      const { status, headers, body } = await at.ask("/do/ok");
      assert.deepEqual([status, body], [200, "ok"]);
      assert.equal(headers.ratelimit, '"rph";r=2;t=3600, "tph";r=900;t=3600, "parallel";r=0');
      assert.equal(
        headers["ratelimit-policy"],
        '"rph";q=3;w=3600, "tph";q=1000;qu="tokens";w=3600, ' +
          '"parallel";q=1;qu="concurrent-requests"',
      );
      assert.equal(headers["retry-after"], undefined);
    },
  },
  {
    name: "E-22: presets go together, on admitted and rejected answers alike",
    run: async (at) => {
      const render = { headers: ["legacy", "descriptor", "ai"] } as const;
      await at.serve([at.limitsMount(asking([perHour(1)]), { render })]);
      const admitted = (await at.ask("/do/ok")).headers;
      assert.equal(admitted["x-ratelimit-limit"], "1");
      assert.equal(admitted["x-ratelimit-remaining"], "0");
      assert.equal(admitted["x-ratelimit-api_key-limit-requests"], "1");
      assert.equal(admitted["x-ratelimit-remaining-requests"], "0");
      assert.equal(admitted["x-should-retry"], undefined);
      const rejected = (await at.ask("/do/ok")).headers;
      assert.equal(rejected["x-ratelimit-remaining"], "0");
      assert.equal(rejected["x-ratelimit-api_key-remaining-requests"], "0");
      assert.equal(rejected["x-ratelimit-reset-requests"], "1h0m0s");
      assert.equal(rejected["retry-after"], "3600");
      assert.equal(rejected["retry-after-ms"], "3600000");
      assert.equal(rejected["x-should-retry"], "false");
      assert.equal(rejected.ratelimit, undefined);
    },
  },
  {
    name: "the slots of the descriptor preset are called as the options say",
    run: async (at) => {
      const render = { headers: "descriptor", slotsHeaderName: "max_parallel_requests" } as const;
      await at.serve([at.limitsMount(asking([atOnce(2)]), { render })]);
      const { headers } = await at.ask("/do/ok");
      assert.equal(headers["x-ratelimit-api_key-remaining-max_parallel_requests"], "1");
    },
  },
  {
    name: "admitted answers say nothing if they are told to, rejected ones still do",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]), { admittedHeaders: "none" })]);
      assert.deepEqual(rateLimitFields((await at.ask("/do/ok")).headers), []);
      assert.equal((await at.ask("/do/ok")).headers.ratelimit, '"rph";r=0;t=3600');
    },
  },
  {
    name: "fields of the handler stand beside them, several of one name too",
    run: async (at) => {
      const headers = { "x-own": "1", "content-type": "text/csv", "set-cookie": ["a=1", "b=2"] };
      await at.serve([at.limitsMount(threeLimits)], { csv: () => answer(203, headers, "a,b") });
      const given = await at.ask("/do/csv");
      assert.deepEqual([given.status, given.body], [203, "a,b"]);
      assert.equal(given.headers["x-own"], "1");
      assert.match(String(given.headers["content-type"]), /^text\/csv/);
      assert.deepEqual(given.headers["set-cookie"], ["a=1", "b=2"]);
      assert.ok(given.headers.ratelimit);
    },
  },
  {
    name: "a redirect, and an answer without a body, carry them",
    run: async (at) => {
      await at.serve([at.limitsMount(threeLimits)], {
        moved: () => ({ does: "redirect", to: "/elsewhere" }),
        none: () => answer(204),
      });
      const moved = await at.ask("/do/moved");
      assert.deepEqual([moved.status, moved.headers.location], [302, "/elsewhere"]);
      assert.ok(moved.headers.ratelimit);
      await at.untilIdle();
      const none = await at.ask("/do/none");
      assert.deepEqual([none.status, none.body], [204, ""]);
      assert.ok(none.headers.ratelimit);
    },
  },
  {
    name: "R051: zeros are there, and nothing is below zero",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      assert.equal((await at.ask("/do/ok")).headers.ratelimit, '"rph";r=0;t=3600');
      for (let i = 0; i < 5; i += 1) {
        const { status, headers } = await at.ask("/do/ok");
        assert.deepEqual([status, headers.ratelimit], [429, '"rph";r=0;t=3600']);
      }
    },
  },
  {
    name: "R051: a limit of 0 shows itself as 0",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(0)]))]);
      const { status, headers } = await at.ask("/do/ok");
      assert.equal(status, 429);
      assert.match(String(headers["ratelimit-policy"]), /"rph";q=0;/);
      assert.match(String(headers.ratelimit), /"rph";r=0/);
    },
  },
];

export const waitCases: readonly AdapterCase[] = [
  ...[
    [493, "1"],
    [1499, "2"],
    [1, "1"],
    [1000, "1"],
    [59_001, "60"],
  ].map(
    ([waitMs, retryAfter]): AdapterCase => ({
      name: `R053: a wait of ${waitMs} ms is a Retry-After of ${retryAfter}`,
      run: async (at) => {
        const window = fixedWindow({ max: 1, windowMs: 60_000, name: "rpm" });
        await at.serve([at.limitsMount(asking([window]), { render: { headers: "ai" } })]);
        await at.ask("/do/ok");
        at.clock.advance(60_000 - Number(waitMs));
        const { status, headers } = await at.ask("/do/ok");
        assert.deepEqual([status, headers["retry-after"]], [429, retryAfter]);
        assert.equal(headers["retry-after-ms"], String(waitMs));
        at.clock.advance(Number(waitMs));
        assert.equal((await at.ask("/do/ok")).status, 200);
      },
    }),
  ),
  {
    name: "R053: a hint is whole seconds too, for slots",
    run: async (at) => {
      const slots = concurrency({ max: 1, name: "parallel" });
      await at.serve([at.limitsMount(asking([slots]), { render: { headers: "none" } })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [429, "1"]);
      assert.deepEqual(rateLimitFields(headers), []);
      at.held.release();
      assert.equal((await first.answer).status, 200);
    },
  },
  {
    name: "the longest wait of several limits is told, and each limit's own in the fields",
    run: async (at) => {
      const perMinute = fixedWindow({ max: 1, windowMs: 60_000, name: "rpm" });
      await at.serve([at.limitsMount(asking([perMinute, perHour(1)]))]);
      await at.ask("/do/ok");
      at.clock.advance(30_000);
      const { headers } = await at.ask("/do/ok");
      assert.equal(headers["retry-after"], String((hourMs - 30_000) / 1000));
      assert.equal(headers.ratelimit, '"rpm";r=0;t=30, "rph";r=0;t=3570');
    },
  },
  {
    name: "what can never pass tells no wait",
    run: async (at) => {
      const question = asking([tokensPerHour(10)], { cost: { tokens: 11 } });
      await at.serve([at.limitsMount(question, { render: { headers: "ai" } })]);
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [429, undefined]);
      assert.equal(headers["x-should-retry"], "false");
    },
  },
];
