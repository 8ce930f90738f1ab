import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import type { AdapterRequest } from "../adapter-scenario";
import type { AdapterTrial } from "../world/adapter-trial";

const header = (name: string) => (req: AdapterRequest) => {
  const value = req.headers[name];
  return typeof value === "string" ? value : undefined;
};

/** Opens requests that wait one after the other; what each was called comes in their order. */
async function queueUp(
  at: AdapterTrial,
  queued: () => number,
  names: readonly string[],
  field: string,
): Promise<readonly string[]> {
  const order: string[] = [];
  const first = at.open("/do/held");
  await at.held.untilHolds(1);
  const waiting = [];
  for (const name of names) {
    const before = queued();
    waiting.push(at.open(`/do/noted?${name}`, { headers: { [field]: name } }).answer);
    await at.until(`${name} waits`, () => queued() === before + 1);
  }
  at.held.release();
  await first.answer;
  await Promise.all(waiting);
  for (const { url } of at.seen) if (url.includes("?")) order.push(url.split("?")[1] ?? "");
  return order;
}

export const gateCases: readonly AdapterCase[] = [
  {
    name: "who waits starts in turn when slots come free",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 3, timeoutMs: 60_000 } });
      await at.serve([at.gateMount(gate)]);
      const order = await queueUp(at, () => gate.stats().queued, ["a", "b", "c"], "x-name");
      assert.deepEqual(order, ["a", "b", "c"]);
      await at.untilIdle();
      assert.equal(gate.stats().admitted, 4);
    },
  },
  {
    name: "A2: who waits too long is refused with 503, and holds nothing",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 50 } });
      await at.serve([at.gateMount(gate)]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const late = at.open("/do/ok");
      await at.until("one waits", () => gate.stats().queued === 1);
      await at.clock.advanceAsync(50);
      assert.equal((await late.answer).status, 503);
      assert.deepEqual(gate.stats().rejectedByReason, { queue_timeout: 1 });
      at.held.release();
      await first.answer;
      assert.equal(at.seen.length, 1);
    },
  },
  {
    name: "classes come from the request: a higher rank evicts the last of a lower one",
    run: async (at) => {
      const gate = at.gate({
        maxInFlight: 1,
        queue: { max: 1, timeoutMs: 60_000 },
        classes: { web: { rank: 2 }, batch: { rank: 1 } },
      });
      await at.serve([at.gateMount(gate, { class: header("x-class") })]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const batch = at.open("/do/ok", { headers: { "x-class": "batch" } });
      await at.until("batch waits", () => gate.stats().queued === 1);
      const web = at.open("/do/ok", { headers: { "x-class": "web" } });
      const evicted = await batch.answer;
      assert.deepEqual([evicted.status, JSON.parse(evicted.body).reason], [503, "evicted"]);
      at.held.release();
      await first.answer;
      assert.equal((await web.answer).status, 200);
    },
  },
  {
    name: "fairness keys come from the request: keys have their turns one after the other",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 9, timeoutMs: 60_000 } });
      await at.serve([at.gateMount(gate, { fairnessKey: header("x-key") })]);
      const names = ["a", "a", "a", "b"];
      const order = await queueUp(at, () => gate.stats().queued, names, "x-key");
      assert.deepEqual(order.slice(0, 2).toSorted(), ["a", "b"]);
    },
  },
  {
    name: "a gate in shadow lets everybody in, and counts whom it would have refused",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 }, mode: "shadow" });
      await at.serve([at.gateMount(gate)]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      assert.deepEqual(await at.statuses(2), [200, 200]);
      assert.equal(gate.stats().shadowRejected, 2);
      at.held.release();
      await first.answer;
    },
  },
  {
    name: "a gate that holds until the first byte is free while the stream goes on",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 }, heldUntil: "first-byte" });
      const begins = (): AdapterBehaviour => ({
        does: "take",
        write: (res) => {
          res.writeHead(200);
          (res as { write(text: string): boolean }).write("first");
        },
      });
      await at.serve([at.gateMount(gate)], { begins });
      const stream = at.open("/do/begins");
      await stream.receives("first");
      await at.until("the slot is free", () => gate.stats().inFlight === 0);
      assert.deepEqual(await at.statuses(1), [200]);
      stream.leave();
    },
  },
  {
    name: "the first byte is that of the body, not of the headers",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 }, heldUntil: "first-byte" });
      let write: (text: string) => void = () => {};
      const flushes = (): AdapterBehaviour => ({
        does: "take",
        write: (res) => {
          write = (text) => void (res as { write(text: string): boolean }).write(text);
          (res as ServerResponse).flushHeaders();
        },
      });
      await at.serve([at.gateMount(gate)], { flushes });
      const stream = at.open("/do/flushes");
      await stream.head;
      assert.deepEqual(await at.statuses(1), [503]);
      write("first");
      await at.until("the slot is free", () => gate.stats().inFlight === 0);
      stream.leave();
    },
  },
  {
    name: "a gate that drains refuses newcomers and waiters, and lets work be finished",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 } });
      await at.serve([at.gateMount(gate)]);
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const waiter = at.open("/do/ok");
      await at.until("one waits", () => gate.stats().queued === 1);
      let isDrained = false;
      const drained = gate.drain().then(() => {
        isDrained = true;
      });
      assert.equal((await waiter.answer).status, 503);
      assert.deepEqual(await at.statuses(1), [503]);
      assert.equal(isDrained, false);
      at.held.release();
      assert.equal((await first.answer).status, 200);
      await drained;
    },
  },
];
