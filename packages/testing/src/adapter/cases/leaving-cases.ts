import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { Question } from "@sluice/core";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import { asking, atOnce, perHour, threeLimits } from "./subjects";

/** Server-sent events by hand: one at once, and the next ones every other millisecond. */
const events = (): AdapterBehaviour => ({
  does: "take",
  write: (res) => {
    const write = (text: string) => (res as { write(text: string): boolean }).write(text);
    res.setHeader("content-type", "text/event-stream");
    write("data: first\n\n");
    const ticking = setInterval(() => write("data: next\n\n"), 2);
    res.once("close", () => clearInterval(ticking));
  },
});

/** A stream that says `first` and goes on until it is destroyed. */
function endless(): Readable {
  let pieces = 0;
  return new Readable({
    read() {
      pieces += 1;
      if (pieces === 1) this.push("first");
      else setTimeout(() => this.push("next"), 2);
    },
  });
}

/** As many bytes, in pieces of which only what is read is made. */
function* pieces(bytes: number): Generator<Buffer> {
  const size = 50_000;
  for (let made = 0; made < bytes; made += size) yield Buffer.alloc(size, "x");
}

const oneSlot = asking([atOnce(1)]);

export const leavingEarlyCases: readonly AdapterCase[] = [
  {
    name: "A6: who leaves while it waits at the gate leaves the queue at once, and never starts",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 2, timeoutMs: 60_000 } });
      await at.serve([at.gateMount(gate)]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const leaving = at.open("/do/ok");
      await at.until("one waits", () => gate.stats().queued === 1);
      leaving.leave();
      await at.until("nobody waits", () => gate.stats().queued === 0);
      at.held.release();
      assert.equal((await first.answer).status, 200);
      assert.deepEqual(gate.stats().rejectedByReason, { aborted: 1 });
      assert.equal(at.seen.length, 1);
    },
  },
  {
    name: "who leaves while the policy is thinking is not handled, and holds nothing",
    run: async (at) => {
      let think: (question: Question) => void = () => {};
      let isAsked = false;
      const policy = () =>
        new Promise<Question>((resolve) => {
          isAsked = true;
          think = resolve;
        });
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate), at.limitsMount(policy)]);
      const leaving = at.open("/do/ok");
      await at.until("the policy is asked", () => isAsked);
      leaving.leave();
      await at.until("the server has noticed", () => gate.stats().inFlight === 0);
      think(threeLimits);
      await at.until("the limiter was asked", () => at.journal.verdicts === 1);
      await at.untilIdle();
      assert.deepEqual(at.journal.closings, ["released"]);
      assert.equal(at.seen.length, 0);
      assert.deepEqual(at.heard, []);
    },
  },
  {
    name: "who leaves while it waits for a limit leaves the queue at once, and is charged nothing",
    run: async (at) => {
      const question = asking([perHour(9), atOnce(1)], { maxWaitMs: 60_000 });
      const limits = at.limitsMount(question);
      await at.serve([limits]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const leaving = at.open("/do/ok");
      await at.until("one waits", () => limits.limiter.stats().queued === 1);
      leaving.leave();
      await at.until("nobody waits", () => limits.limiter.stats().queued === 0);
      at.held.release();
      await first.answer;
      assert.deepEqual(await at.used(limits.limiter, question), [1, 0]);
      assert.equal(at.seen.length, 1);
    },
  },
  {
    name: "R031: who leaves while the handler works frees gate and slot at once, and once",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)]);
      const leaving = at.open("/do/held");
      await at.held.untilHolds(1);
      leaving.leave();
      await at.untilIdle();
      // The handler answers although nobody is there.
      at.held.release();
      assert.equal((await at.ask("/do/ok")).status, 200);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored", "success"]);
      assert.deepEqual(at.journal.closings, ["released", "released"]);
    },
  },
  {
    name: "R031: a handler that fails after its client has left does no harm",
    run: async (at) => {
      let fail: () => void = () => {};
      const after = new Promise<void>((resolve) => {
        fail = resolve;
      });
      const late = (): AdapterBehaviour => ({ does: "reject", error: new Error("late"), after });
      await at.serve([at.limitsMount(oneSlot)], { late });
      const leaving = at.open("/do/late");
      await at.until("the handler works", () => at.seen.length === 1);
      leaving.leave();
      await at.untilIdle();
      fail();
      assert.equal((await at.ask("/do/ok")).status, 200);
    },
  },
  {
    name: "who leaves during its upload frees what it held",
    run: async (at) => {
      let read = 0;
      const upload = (): AdapterBehaviour => ({
        does: "answer",
        status: 200,
        headers: {},
        body: "",
        reads: true,
        onRead: (bytes) => {
          read = bytes;
        },
      });
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { upload });
      const headers = { "content-length": "1000" };
      const leaving = at.open("/do/upload", { method: "POST", body: null, headers });
      leaving.send("half of it");
      await at.until("the handler works", () => at.seen.length === 1);
      leaving.leave();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
      assert.equal((await at.ask("/do/upload", { method: "POST", body: "hi" })).status, 200);
      assert.equal(read, 2);
    },
  },
];

export const leavingLateCases: readonly AdapterCase[] = [
  {
    name: "R028: who cuts a stream frees its slot, ten times in a row",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { events });
      for (let round = 1; round <= 10; round += 1) {
        const leaving = at.open("/do/events");
        await leaving.receives("data: first");
        leaving.leave();
        await at.untilIdle();
        assert.equal((await at.ask("/do/ok")).status, 200);
        await at.untilIdle();
      }
      const rounds = Array.from({ length: 10 }, () => ["ignored", "success"]);
      assert.deepEqual(at.journal.outcomes, rounds.flat());
    },
  },
  {
    name: "R031: a stream that the framework sends ends with its client, and so does its slot",
    run: async (at) => {
      const source = endless();
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { stream });
      const leaving = at.open("/do/stream");
      await leaving.receives("first");
      leaving.leave();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
      await at.until("the stream is destroyed", () => source.destroyed);
    },
  },
  {
    name: "R021: a connection that closes after the answer changes nothing",
    run: async (at) => {
      const question = asking([perHour(5)]);
      const limits = at.limitsMount(question, { refundWhen: (ended) => !ended.isComplete });
      await at.serve([at.gateMount({ maxInFlight: 1 }), limits]);
      const client = at.newClient();
      for (let i = 0; i < 3; i += 1) await client.open("/do/ok").answer;
      client.close();
      assert.deepEqual(await at.used(limits.limiter, question), [3]);
      assert.deepEqual(at.journal.outcomes, ["success", "success", "success"]);
    },
  },
  {
    name: "who does not read its answer holds its slot, and frees it when it leaves",
    run: async (at) => {
      const big = (): AdapterBehaviour => ({
        does: "stream",
        source: Readable.from(pieces(20_000_000)),
      });
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { big });
      const slow = at.open("/do/big", { reads: false });
      await slow.head;
      assert.equal((await at.ask("/do/ok")).status, 503);
      slow.leave();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
    },
  },
  {
    name: "who reads slowly and takes all of it has been served",
    run: async (at) => {
      const big = (): AdapterBehaviour => ({
        does: "stream",
        source: Readable.from(pieces(5_000_000)),
      });
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate), at.limitsMount(oneSlot)], { big });
      const slow = at.open("/do/big", { reads: false });
      await slow.head;
      assert.equal(gate.stats().inFlight, 1);
      slow.read();
      assert.equal((await slow.answer).body.length, 5_000_000);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success"]);
    },
  },
  {
    name: "an answer that the server breaks off counts as ignored",
    run: async (at) => {
      const broken = (): AdapterBehaviour => ({
        does: "take",
        write: (res) => {
          (res as { write(text: string): boolean }).write("some");
          res.destroy();
        },
      });
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(oneSlot)], { broken });
      // Over HTTP/2 the client may take it for a whole one: the reset has no error code.
      await at.open("/do/broken").answer.catch(() => {});
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored"]);
      assert.deepEqual(at.journal.closings, ["released"]);
    },
  },
];
