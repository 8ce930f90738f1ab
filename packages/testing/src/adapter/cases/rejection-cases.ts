import assert from "node:assert/strict";
import { priorityPool } from "@sluice/core";
import type { AdapterCase } from "../adapter-case";
import { asking, atOnce, hourMs, perHour, threeLimits, tokensPerHour } from "./subjects";

export const limitsRejectionCases: readonly AdapterCase[] = [
  {
    name: "R054: limits reject with 429, Retry-After and a problem document, and charge nothing",
    run: async (at) => {
      const question = asking([perHour(5), tokensPerHour(150)], { cost: { tokens: 100 } });
      const limits = at.limitsMount(question);
      await at.serve([limits]);
      await at.ask("/do/ok");
      const { status, headers, body } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [429, "3600"]);
      assert.match(String(headers["content-type"]), /^application\/problem\+json/);
      const { detail, ...problem } = JSON.parse(body);
      assert.equal(typeof detail, "string");
      assert.deepEqual(problem, {
        type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
        title: "Quota exceeded",
        status: 429,
        reason: "window_exhausted",
        "violated-policies": ["tph"],
        retryAfterMs: hourMs,
      });
      assert.deepEqual(await at.used(limits.limiter, question), [1, 100]);
      assert.equal(at.seen.length, 1);
    },
  },
  {
    name: "R054: status and Retry-After are there without any rate-limit header too",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]), { render: { headers: "none" } })]);
      await at.ask("/do/ok");
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [429, "3600"]);
      assert.equal(headers.ratelimit, undefined);
    },
  },
  {
    name: "limits reject in the shape of OpenAI's errors if they are told to",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]), { render: { body: "openai" } })]);
      await at.ask("/do/ok");
      const { headers, body } = await at.ask("/do/ok");
      assert.match(String(headers["content-type"]), /^application\/json/);
      const { error } = JSON.parse(body);
      assert.deepEqual([error.type, error.code], ["rate_limit_error", "429"]);
    },
  },
  {
    name: "limits reject with a body of one's own, byte by byte",
    run: async (at) => {
      const body = () => ({ contentType: "text/plain; charset=utf-8", text: "später" });
      await at.serve([at.limitsMount(asking([perHour(1)]), { render: { body } })]);
      await at.ask("/do/ok");
      const rejected = await at.ask("/do/ok");
      assert.deepEqual([rejected.status, rejected.body], [429, "später"]);
      assert.equal(rejected.headers["content-type"], "text/plain; charset=utf-8");
    },
  },
  {
    name: "a cost above what the limit can hold is 413 if the options say so",
    run: async (at) => {
      const question = asking([tokensPerHour(10)], { cost: { tokens: 11 } });
      await at.serve([at.limitsMount(question, { render: { costExceedsLimitStatus: 413 } })]);
      const { status, headers, body } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [413, undefined]);
      assert.equal(JSON.parse(body).reason, "cost_exceeds_limit");
    },
  },
  {
    name: "a pool names the class that it refuses",
    run: async (at) => {
      const pool = priorityPool({
        windowMs: hourMs,
        capacity: { requests: 10 },
        shares: { paid: 0.9, trial: 0.1 },
        name: "shared",
        saturationThreshold: 0.1,
        whenSaturated: "strict",
      });
      await at.serve([at.limitsMount(asking([pool], { priority: "trial" }))]);
      assert.deepEqual(await at.statuses(2), [200, 429]);
      const { headers, body } = await at.ask("/do/ok");
      assert.equal(headers["x-sluice-priority"], "trial");
      assert.equal(headers["x-sluice-saturation"], "10.00%");
      assert.equal(JSON.parse(body).reason, "share_exhausted");
    },
  },
  {
    name: "HEAD is rejected with all fields and no body, and the connection goes on",
    needs: "http2-head",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      await at.ask("/do/ok");
      const { status, headers, body } = await at.ask("/do/ok", { method: "HEAD" });
      assert.deepEqual([status, headers["retry-after"], body], [429, "3600", ""]);
      assert.match(String(headers["content-type"]), /^application\/problem\+json/);
      assert.equal((await at.ask("/do/ok")).status, 429);
    },
  },
  {
    name: "HEAD is charged like any other method",
    needs: "http2-head",
    run: async (at) => {
      const limits = at.limitsMount(threeLimits);
      await at.serve([limits]);
      const { status, headers, body } = await at.ask("/do/ok", { method: "HEAD" });
      assert.deepEqual([status, body], [200, ""]);
      assert.match(String(headers.ratelimit), /^"rph";r=2;/);
      assert.deepEqual(await at.used(limits.limiter, threeLimits), [1, 100, 0]);
    },
  },
  {
    name: "slots are told apart from windows",
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(9), atOnce(1)]))]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, body } = await at.ask("/do/ok");
      assert.equal(status, 429);
      const { reason, "violated-policies": names } = JSON.parse(body);
      assert.deepEqual([reason, names], ["concurrency_exhausted", ["parallel"]]);
      at.held.release();
      await first.answer;
    },
  },
];

export const gateRejectionCases: readonly AdapterCase[] = [
  {
    name: "A1: a gate lets one in, queues one, and refuses the third with 503 and the counts",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 1 } });
      await at.serve([at.gateMount(gate, { render: { body: "openai" } })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const second = at.open("/do/held");
      await at.until("one waits", () => gate.stats().queued === 1);
      const third = await at.ask("/do/ok");
      assert.deepEqual([third.status, third.headers["retry-after"]], [503, "1"]);
      assert.match(String(third.headers["content-type"]), /^application\/json/);
      assert.equal(
        third.body,
        '{"error":{"message":"Worker at capacity: 1 in-flight, 1 queued requests. Retry later.",' +
          '"type":"overloaded_error","code":"503"}}',
      );
      at.held.release(1);
      await at.held.untilHolds(1);
      at.held.release();
      assert.deepEqual([(await first.answer).status, (await second.answer).status], [200, 200]);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success", "success"]);
    },
  },
  {
    name: "R056: who waited too long and who found the queue full get the same status",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 100 } });
      await at.serve([at.gateMount(gate, { render: { gateStatus: 429 } })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const second = at.open("/do/ok");
      await at.until("one waits", () => gate.stats().queued === 1);
      const third = await at.ask("/do/ok");
      await at.clock.advanceAsync(100);
      const late = await second.answer;
      assert.deepEqual([third.status, late.status], [429, 429]);
      const reasons = [third, late].map(({ body }) => JSON.parse(body).reason);
      assert.deepEqual(reasons, ["queue_full", "queue_timeout"]);
      at.held.release();
      await first.answer;
    },
  },
  {
    name: "R056: a gate that drains and a store that is away answer 503 whatever the options say",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate, { render: { gateStatus: 429 } })]);
      await gate.drain();
      const { status, headers, body } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [503, "1"]);
      assert.equal(JSON.parse(body).reason, "draining");
    },
  },
  {
    name: "a gate answers with the degraded answer that its owner approved",
    run: async (at) => {
      const degraded = { status: 200, headers: { "content-type": "text/plain" }, body: "cached" };
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 }, onReject: () => degraded });
      await at.serve([at.gateMount(gate)]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, body } = await at.ask("/do/ok");
      assert.deepEqual([status, body], [200, "cached"]);
      at.held.release();
      await first.answer;
    },
  },
  {
    name: "HEAD is refused by a gate without a body",
    needs: "http2-head",
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 1, queue: { max: 0 } })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, headers, body } = await at.ask("/do/ok", { method: "HEAD" });
      assert.deepEqual([status, headers["retry-after"], body], [503, "1", ""]);
      at.held.release();
      await first.answer;
    },
  },
];
