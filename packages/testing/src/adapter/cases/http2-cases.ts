import assert from "node:assert/strict";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import { asking, atOnce, perHour } from "./subjects";

const protocol = "http2";
const oneSlot = asking([atOnce(1)]);

const begins = (): AdapterBehaviour => ({
  does: "take",
  write: (res) => void (res as { write(text: string): boolean }).write("first"),
});

export const http2Cases: readonly AdapterCase[] = [
  {
    name: "R027: a stream that is reset in the middle of its body is no success",
    protocol,
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { begins });
      const reset = at.open("/do/begins");
      await reset.receives("first");
      reset.leave();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
    },
  },
  {
    name: "R027: a stream that is reset before its answer is no success",
    protocol,
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)]);
      const reset = at.open("/do/held");
      await at.held.untilHolds(1);
      reset.leave();
      await at.untilIdle();
      at.held.release();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
      assert.deepEqual(await at.statuses(1), [200]);
    },
  },
  {
    name: "R027: an answer of 5 MB that was ended, not read and then reset is no success",
    protocol,
    run: async (at) => {
      let hasEnded = false;
      const big = (): AdapterBehaviour => ({
        does: "take",
        write: (res) => {
          (res as { end(body: Buffer): void }).end(Buffer.alloc(5_000_000));
          hasEnded = true;
        },
      });
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { big });
      const reset = at.open("/do/big", { reads: false });
      await reset.head;
      assert.equal(hasEnded, true);
      reset.leave();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
    },
  },
  {
    name: "R027: a session that breaks frees the slots of all its streams",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 3 });
      await at.serve([at.gateMount(gate), at.limitsMount(asking([atOnce(3)]))], { begins });
      const client = at.newClient();
      client.open("/do/held");
      client.open("/do/held");
      await at.held.untilHolds(2);
      await client.open("/do/begins").receives("first");
      assert.equal(gate.stats().inFlight, 3);
      client.close();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored", "ignored", "ignored"]);
    },
  },
  ...[{ method: "GET" }, { method: "HEAD" }, { method: "POST", body: "hi" }].map(
    (asking): AdapterCase => ({
      name: `R027: a plain answer to ${asking.method} is a success`,
      protocol,
      ...(asking.method === "HEAD" && { needs: "http2-head" }),
      run: async (at) => {
        await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)]);
        assert.equal((await at.ask("/do/ok", asking)).status, 200);
        await at.untilIdle();
        assert.deepEqual(at.journal.outcomes, ["success"]);
      },
    }),
  ),
  {
    name: "a rejection ends its stream and leaves the session to the others",
    protocol,
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(2)]))]);
      const answers = await Promise.all(Array.from({ length: 6 }, () => at.ask("/do/ok")));
      const rejected = answers.filter(({ status }) => status === 429);
      assert.equal(rejected.length, 4);
      assert.equal(rejected[0]?.headers["retry-after"], "3600");
      at.clock.advance(3_600_000);
      assert.deepEqual(await at.statuses(1), [200]);
    },
  },
  {
    name: "an upload that is rejected by its headers leaves the session to the others",
    protocol,
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      await at.ask("/do/ok");
      const upload = at.open("/do/ok", { method: "POST", body: null });
      for (let i = 0; i < 10; i += 1) upload.send(Buffer.alloc(1_000_000));
      upload.finish();
      assert.equal((await upload.answer).status, 429);
      assert.deepEqual(await at.statuses(1), [429]);
    },
  },
  {
    name: "a gate that drains answers 503 without fields that HTTP/2 forbids",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate)]);
      await gate.drain();
      const { status, headers } = await at.ask("/do/ok");
      assert.deepEqual([status, headers.connection], [503, undefined]);
    },
  },
];
