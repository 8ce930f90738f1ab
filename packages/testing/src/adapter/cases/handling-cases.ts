import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import { answer, asking, atOnce, perHour } from "./subjects";

const oneSlot = asking([atOnce(1)]);

/** A stream that the case feeds. */
const fed = () => new Readable({ read() {} });

export const handlingCases: readonly AdapterCase[] = [
  {
    name: "E-28: the handler finds the verdict on its request, with an open permit",
    run: async (at) => {
      const open: (boolean | undefined)[] = [];
      await at.serve([at.limitsMount(asking([perHour(3)]))], {
        looks: ({ verdict }) => {
          open.push(verdict?.admitted === true ? verdict.permit.isClosed : undefined);
          return answer(200);
        },
      });
      await at.ask("/do/looks");
      await at.ask("/do/looks");
      assert.deepEqual(open, [false, false]);
      const statuses = at.seen.map(({ verdict }) => verdict?.statuses[0]);
      assert.deepEqual(
        statuses.map((status) => [status?.max, status?.used, status?.remaining]),
        [
          [3, 1, 2],
          [3, 2, 1],
        ],
      );
    },
  },
  {
    name: "A7: a stream holds gate and slot until its last byte",
    run: async (at) => {
      const source = fed();
      const gate = at.gate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 } });
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { stream });
      source.push("first");
      const first = at.open("/do/stream");
      await first.receives("first");
      const second = at.open("/do/ok");
      await at.until("the second waits", () => gate.stats().queued === 1);
      assert.equal(gate.stats().inFlight, 1);
      source.push("last");
      source.push(null);
      assert.equal((await first.answer).body, "firstlast");
      assert.equal((await second.answer).status, 200);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success", "success"]);
    },
  },
  {
    name: "R029: a slot is held while the body flows, not until the headers are there",
    run: async (at) => {
      const source = fed();
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.limitsMount(oneSlot)], { stream, none: () => answer(204) });
      source.push("first");
      const first = at.open("/do/stream");
      await first.head;
      assert.equal((await at.ask("/do/ok")).status, 429);
      source.push(null);
      await first.answer;
      await at.untilIdle();
      // Without a body the answer has ended with its head.
      assert.deepEqual(await at.statuses(1, "/do/none"), [204]);
      await at.untilIdle();
      assert.deepEqual(await at.statuses(1), [200]);
    },
  },
  {
    name: "R025: the slot of a POST is held until the answer, not until its body is read",
    run: async (at) => {
      let bytes = 0;
      const reads = (): AdapterBehaviour => ({
        ...at.held.hold(),
        reads: true,
        onRead: (count) => {
          bytes = count;
        },
      });
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { reads });
      const first = at.open("/do/reads", { method: "POST", body: "hi" });
      await at.until("the body is read", () => bytes === 2);
      assert.equal(gate.stats().inFlight, 1);
      assert.equal((await at.ask("/do/ok", { method: "POST", body: "hi" })).status, 503);
      at.held.release();
      assert.equal((await first.answer).status, 200);
    },
  },
  {
    name: "a stream that fails breaks its answer off and frees its slot",
    protocol: "http1",
    needs: "broken-streams",
    run: async (at) => {
      const source = fed();
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { stream });
      source.push("first");
      const broken = at.open("/do/stream");
      await broken.receives("first");
      source.destroy(new Error("from the source"));
      await assert.rejects(broken.answer);
      await at.untilIdle();
      assert.deepEqual(at.journal.closings, ["released"]);
    },
  },
  {
    name: "a stream that fails holds nothing once its client is gone",
    run: async (at) => {
      const source = fed();
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { stream });
      source.push("first");
      const broken = at.open("/do/stream");
      await broken.receives("first");
      source.destroy(new Error("from the source"));
      broken.leave();
      await at.untilIdle();
      assert.deepEqual(await at.statuses(1), [200]);
    },
  },
  {
    name: "an answer written around the framework ends like any other",
    run: async (at) => {
      const takes = (): AdapterBehaviour => ({
        does: "take",
        write: (res) => {
          res.statusCode = 202;
          (res as { end(text: string): void }).end("taken");
        },
      });
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { takes });
      const { status, body, headers } = await at.ask("/do/takes");
      assert.deepEqual([status, body], [202, "taken"]);
      assert.ok(headers.ratelimit);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success"]);
    },
  },
  {
    name: "a path without a route is limited like any other, and stays a 404",
    run: async (at) => {
      const limits = at.limitsMount(asking([perHour(2)]));
      await at.serve([limits]);
      const missing = await at.ask("/nowhere");
      assert.deepEqual([missing.status, missing.headers.ratelimit], [404, '"rph";r=1;t=3600']);
      assert.deepEqual(await at.statuses(2, "/nowhere"), [404, 429]);
      assert.equal(at.seen.length, 0);
    },
  },
  {
    name: "a path without a route holds a slot of the gate until its answer",
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 1, queue: { max: 0 } })]);
      assert.deepEqual(await at.statuses(1, "/nowhere"), [404]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      assert.deepEqual(await at.statuses(1, "/nowhere"), [503]);
      at.held.release();
      await first.answer;
    },
  },
  {
    name: "outcomes follow the status: 503 and 504 are dropped, 500 and 404 are answers",
    run: async (at) => {
      const behaviours = Object.fromEntries(
        [200, 404, 429, 500, 502, 503, 504].map((status) => [`${status}`, () => answer(status)]),
      );
      await at.serve([at.gateMount({ maxInFlight: 1 })], behaviours);
      for (const status of Object.keys(behaviours)) {
        assert.equal(String((await at.ask(`/do/${status}`)).status), status);
        await at.untilIdle();
      }
      const answered = Array(5).fill("success");
      assert.deepEqual(at.journal.outcomes, [...answered, "dropped", "dropped"]);
    },
  },
  {
    name: "many requests at once keep the cap, and are all answered",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 4, queue: { max: 4, timeoutMs: 60_000 } });
      await at.serve([at.gateMount(gate), at.limitsMount(asking([atOnce(4)]))]);
      const asked = Array.from({ length: 40 }, () => at.ask("/do/held"));
      await at.until("32 were refused", () => gate.stats().rejected === 32);
      for (let round = 1; round <= 2; round += 1) {
        await at.held.untilHolds(4);
        at.held.release();
      }
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 503).length, 32);
      // A slot of the limit may come back a moment after that of the gate; then it is 429.
      assert.equal(statuses.filter((status) => status === 200).length, 8);
    },
  },
];

export const exemptCases: readonly AdapterCase[] = [
  ...[
    { mountPrefix: "", path: "/metrics" },
    { mountPrefix: "", path: "/health/liveness?verbose" },
    { mountPrefix: "/proxy", path: "/proxy/health/readiness" },
  ].map(
    ({ mountPrefix, path }): AdapterCase => ({
      name: `A3: a full gate lets ${path} pass uncounted (mount prefix '${mountPrefix}')`,
      run: async (at) => {
        const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
        await at.serve([at.gateMount(gate, { mountPrefix })]);
        const first = at.open("/do/held");
        await at.held.untilHolds(1);
        // There is no route: the framework's own 404 says that the gate let it pass.
        assert.deepEqual(await at.statuses(2, path), [404, 404]);
        assert.deepEqual(await at.statuses(1, "/proxyhealth/liveness"), [503]);
        assert.deepEqual(await at.statuses(1, "/metrics/x"), [503]);
        assert.equal(gate.stats().admitted, 1);
        at.held.release();
        await first.answer;
      },
    }),
  ),
  {
    name: "other paths are exempt if the options say so, and then none of the usual ones",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate, { exemptPaths: ["/do/open"] })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      assert.deepEqual(await at.statuses(1, "/do/open"), [200]);
      assert.deepEqual(await at.statuses(1, "/metrics"), [503]);
      at.held.release();
      await first.answer;
    },
  },
];
