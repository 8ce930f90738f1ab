import assert from "node:assert/strict";
import { RejectedError } from "@sluice/core";
import { HttpRejectedError } from "@sluice/core/http";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import type { AdapterTrial } from "../world/adapter-trial";
import { asking, perHour } from "./subjects";

const now = Promise.resolve();
const oneAnHour = asking([perHour(1)]);

/** The only error that was heard: a rejection with this status and reason. */
function heardRejection(at: AdapterTrial, status: number, reason: string): HttpRejectedError {
  assert.equal(at.heard.length, 1);
  const [error] = at.heard;
  assert.ok(error instanceof HttpRejectedError && error instanceof Error);
  const { code, status: own, statusCode, expose, answer, verdict } = error;
  assert.deepEqual([code, own, statusCode, expose], ["SLUICE_HTTP_REJECTED", status, status, true]);
  assert.deepEqual([answer.status, JSON.parse(answer.body).status], [status, status]);
  assert.equal(verdict.rejection.reason, reason);
  return error;
}

/** What `limiter.run` rejects with when the hour is used up. */
async function rejectedByRun(at: AdapterTrial): Promise<RejectedError> {
  const limiter = at.limiter();
  await limiter.run(oneAnHour, () => {});
  const thrown: unknown = await limiter.run(oneAnHour, () => {}).catch((error) => error);
  assert.ok(thrown instanceof RejectedError);
  return thrown;
}

const failings: readonly (readonly [string, (error: unknown) => AdapterBehaviour])[] = [
  ["throws", (error) => ({ does: "throw", error })],
  ["rejects with", (error) => ({ does: "reject", error, after: now })],
];

const presets = [
  ["ietf", '"rph";r=0;t=3600'],
  ["none", undefined],
] as const;

/** Rejections as errors, which every framework has to answer as what they are. */
export const rejectionErrorCases: readonly AdapterCase[] = [
  ...presets.map(
    ([headers, shown]): AdapterCase => ({
      name: `R054: a rejection that is an error is 429 with its wait, with the headers ${headers}`,
      run: async (at) => {
        const options = { rejections: "error", render: { headers } } as const;
        await at.serve([at.limitsMount(oneAnHour, options)]);
        assert.equal((await at.ask("/do/ok")).status, 200);
        const rejected = await at.ask("/do/ok");
        assert.deepEqual([rejected.status, rejected.headers["retry-after"]], [429, "3600"]);
        assert.equal(rejected.headers.ratelimit, shown);
        const error = heardRejection(at, 429, "window_exhausted");
        assert.equal(error.headers["retry-after"], "3600");
        assert.equal(error.headers.ratelimit, shown);
        assert.equal(at.seen.length, 1);
      },
    }),
  ),
  {
    name: "R054: a rejection that is an error behind limits that admitted has the headers of both",
    run: async (at) => {
      const outer = at.limitsMount(asking([perHour(9)]), { render: { headers: "legacy" } });
      const inner = at.limitsMount(oneAnHour, { rejections: "error" });
      await at.serve([outer, inner]);
      assert.deepEqual(await at.statuses(2), [200, 429]);
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [429, "3600"]);
      assert.match(String(headers.ratelimit), /^"rph";r=0;/);
    },
  },
  {
    name: "R054: a refusal by a gate that is an error is 503 with its wait",
    run: async (at) => {
      const gate = { maxInFlight: 1, queue: { max: 0 } };
      await at.serve([at.gateMount(gate, { rejections: "error" })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers["retry-after"]], [503, "1"]);
      heardRejection(at, 503, "queue_full");
      at.held.release();
      assert.equal((await first.answer).status, 200);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success"]);
    },
  },
  {
    name: "R054: a gate that drains has the connection closed, also where its refusal is an error",
    protocol: "http1",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate, { rejections: "error" })]);
      await gate.drain();
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers.connection], [503, "close"]);
    },
  },
  {
    name: "R054: a degraded answer that is no error is sent, also where rejections are errors",
    run: async (at) => {
      const degraded = { status: 200, headers: { "content-type": "text/plain" }, body: "cached" };
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 }, onReject: () => degraded });
      await at.serve([at.gateMount(gate, { rejections: "error" })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const { status, body } = await at.ask("/do/ok");
      assert.deepEqual([status, body, at.heard], [200, "cached", []]);
      at.held.release();
      await first.answer;
    },
  },
];

/** Handlers that let out what `limiter.run` has thrown. */
export const thrownRejectionCases: readonly AdapterCase[] = [
  ...failings.map(
    ([how, failing]): AdapterCase => ({
      name: `R054: a handler that ${how} a RejectedError gets its request a 429, and no error`,
      run: async (at) => {
        const error = await rejectedByRun(at);
        const gate = at.gateMount({ maxInFlight: 1, queue: { max: 0 } });
        await at.serve([gate, at.limitsMount(asking([perHour(9)]))], {
          fails: () => failing(error),
        });
        for (let round = 1; round <= 2; round += 1) {
          const { status, headers, body } = await at.ask("/do/fails");
          assert.deepEqual([status, headers["retry-after"]], [429, "3600"]);
          assert.match(String(headers["content-type"]), /^application\/problem\+json/);
          assert.match(String(headers.ratelimit), /^"rph";r=0;/);
          assert.equal(JSON.parse(body).reason, "window_exhausted");
          await at.untilIdle();
        }
        assert.deepEqual(at.heard, []);
        assert.deepEqual(at.journal.outcomes, ["ignored", "ignored"]);
      },
    }),
  ),
  {
    name: "R054: a RejectedError of a handler is an error with the status if rejections are errors",
    run: async (at) => {
      const error = await rejectedByRun(at);
      const limits = at.limitsMount(asking([perHour(9)]), { rejections: "error" });
      await at.serve([limits], { fails: () => ({ does: "throw", error }) });
      const { status, headers } = await at.ask("/do/fails");
      assert.deepEqual([status, headers["retry-after"]], [429, "3600"]);
      heardRejection(at, 429, "window_exhausted");
    },
  },
  {
    name: "R054: a RejectedError that no answer belongs to is an error like any other",
    run: async (at) => {
      const limiter = at.limiter();
      const { verdict } = await rejectedByRun(at);
      const error = new RejectedError({
        ...verdict,
        rejection: { ...verdict.rejection, reason: "throttled" },
      });
      await at.serve([at.limitsMount(oneAnHour, {}, { limiter })], {
        fails: () => ({ does: "throw", error }),
      });
      assert.equal((await at.ask("/do/fails")).status, 500);
      assert.deepEqual(at.heard, [error]);
    },
  },
];
