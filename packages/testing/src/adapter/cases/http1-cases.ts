import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { systemClock } from "@sluice/core";
import type { AdapterBehaviour } from "../adapter-behaviour";
import type { AdapterCase } from "../adapter-case";
import { rawRequest } from "../client/raw-client";
import type { AdapterTrial } from "../world/adapter-trial";
import { asking, atOnce, perHour } from "./subjects";

const protocol = "http1";
const megabyte = 1_000_000;

/** Uploads as much, reads the answer, and asks again on the same connection. */
async function uploadRejected(at: AdapterTrial, bytes: number): Promise<void> {
  const question = asking([perHour(1)]);
  const limits = at.limitsMount(question);
  await at.serve([limits]);
  await at.ask("/do/ok");
  const client = at.newSingleConnection();
  const headers = { "content-length": String(bytes) };
  const upload = client.open("/do/ok", { method: "POST", body: null, headers });
  for (let sent = 0; sent < bytes; sent += megabyte) upload.send(Buffer.alloc(megabyte));
  upload.finish();
  const rejected = await upload.answer;
  assert.deepEqual([rejected.status, rejected.headers["retry-after"]], [429, "3600"]);
  assert.equal((await client.open("/do/ok").answer).status, 429);
  assert.equal(client.openSockets, 1);
  assert.deepEqual(await at.used(limits.limiter, question), [1]);
}

export const uploadCases: readonly AdapterCase[] = [
  ...[1, 10, 50].map(
    (megabytes): AdapterCase => ({
      name: `an upload of ${megabytes} MB is rejected by its headers, and its connection goes on`,
      protocol,
      run: (at) => uploadRejected(at, megabytes * megabyte),
    }),
  ),
  {
    name: "an upload in chunks is rejected before it has ended, and its connection goes on",
    protocol,
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      await at.ask("/do/ok");
      const client = await at.newRawClient();
      const head = "Transfer-Encoding: chunked\r\n";
      client.send(`${rawRequest("/do/ok", { method: "POST", head })}2\r\nhi\r\n`);
      await client.receives("HTTP/1.1 429");
      client.send(`0\r\n\r\n${rawRequest("/do/ok")}`);
      await at.until("the second is answered", () => client.answers() === 2);
    },
  },
  {
    name: "a client that expects 100-continue gets its 429, and its connection goes on",
    protocol,
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      await at.ask("/do/ok");
      const client = await at.newRawClient();
      const head = "Expect: 100-continue\r\nContent-Length: 2\r\n";
      client.send(rawRequest("/do/ok", { method: "POST", head }));
      await client.receives("HTTP/1.1 429");
      client.send(`hi${rawRequest("/do/ok")}`);
      await at.until("the second is answered", () => {
        return client.received().split("HTTP/1.1 429").length === 3;
      });
    },
  },
];

export const connectionCases: readonly AdapterCase[] = [
  {
    name: "a connection that had a rejection serves what is admitted after it",
    protocol,
    run: async (at) => {
      await at.serve([at.limitsMount(asking([perHour(1)]))]);
      const client = at.newSingleConnection();
      const statuses = [];
      for (let i = 0; i < 3; i += 1) statuses.push((await client.open("/do/ok").answer).status);
      at.clock.advance(3_600_000);
      statuses.push((await client.open("/do/ok").answer).status);
      assert.deepEqual(statuses, [200, 429, 429, 200]);
      assert.equal(client.openSockets, 1);
    },
  },
  {
    name: "pipelined requests are answered in turn, rejections among them",
    protocol,
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 9 }), at.limitsMount(asking([perHour(2)]))]);
      const client = await at.newRawClient();
      client.send(rawRequest("/do/ok").repeat(4));
      await at.until("all are answered", () => client.answers() === 4);
      const statuses = [...client.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);
      assert.deepEqual(statuses, ["200", "200", "429", "429"]);
      await at.untilIdle();
    },
  },
  {
    name: "R015: who leaves during the first of two pipelined requests frees the slots of both",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 2, queue: { max: 0 } });
      const limits = at.limitsMount(asking([atOnce(2)]));
      await at.serve([at.gateMount(gate), limits]);
      const client = await at.newRawClient();
      client.send(rawRequest("/do/held") + rawRequest("/do/ok"));
      await at.until("both are handled", () => at.seen.length === 2);
      await at.held.untilHolds(1);
      assert.equal(gate.stats().inFlight, 2);
      client.socket.destroy();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored", "ignored"]);
      assert.deepEqual(await at.statuses(1), [200]);
    },
  },
  {
    name: "R015: the same for a POST whose body has been read",
    protocol,
    run: async (at) => {
      let read = 0;
      const reads = (): AdapterBehaviour => ({
        does: "answer",
        status: 200,
        headers: {},
        body: "read",
        reads: true,
        onRead: (bytes) => {
          read = bytes;
        },
      });
      await at.serve([at.gateMount({ maxInFlight: 2, queue: { max: 0 } })], { reads });
      const client = await at.newRawClient();
      const post = rawRequest("/do/reads", { method: "POST", body: "hi" });
      client.send(rawRequest("/do/held") + post);
      await at.until("the second is read", () => read === 2);
      client.socket.destroy();
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored", "ignored"]);
    },
  },
  {
    name: "a client that half-closes before its answer counts as gone, once",
    protocol,
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 1 }), at.limitsMount(asking([atOnce(1)]))]);
      const client = await at.newRawClient();
      client.send(rawRequest("/do/held"));
      await at.held.untilHolds(1);
      client.socket.end();
      await at.untilIdle();
      at.held.release();
      assert.deepEqual(await at.statuses(1), [200]);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["ignored", "success"]);
    },
  },
  {
    name: "a thousand requests on one connection leave no listener behind",
    protocol,
    run: async (at) => {
      await at.serve([at.gateMount({ maxInFlight: 64 }), at.limitsMount(asking([atOnce(64)]))]);
      const client = await at.newRawClient();
      for (let batch = 1; batch <= 20; batch += 1) {
        client.send(rawRequest("/do/ok").repeat(50));
        await at.until("all are answered", () => client.answers() === 50 * batch);
      }
      // A leak would have been warned of by now (ten listeners), and fails the case.
      assert.equal(at.seen.length, 1000);
    },
  },
  {
    name: "an upgrade passes the gate uncounted, and holds no slot",
    protocol,
    needs: "upgrade",
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1, queue: { max: 0 } });
      await at.serve([at.gateMount(gate)]);
      at.running.onUpgrade?.((socket) => {
        socket.on("error", () => {});
        socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\nhello");
      });
      const first = at.open("/do/held");
      await at.held.untilHolds(1);
      const client = await at.newRawClient();
      client.send(rawRequest("/ws", { head: "Connection: Upgrade\r\nUpgrade: websocket\r\n" }));
      await client.receives("hello");
      assert.equal(gate.stats().admitted, 1);
      at.held.release();
      await first.answer;
    },
  },
];

/** Timers and sockets that keep this process alive. */
const keepingAlive = () =>
  process.getActiveResourcesInfo().filter((kind) => /^(Timeout|TCP)/.test(kind)).length;

export const closingCases: readonly AdapterCase[] = [
  {
    name: "R062: what is closed leaves nothing that keeps the process alive",
    run: async (at) => {
      const before = keepingAlive();
      const clock = systemClock();
      const gate = at.gate({ clock, maxInFlight: 1, queue: { max: 1, timeoutMs: 60_000 } });
      const limiter = at.limiter({ clock });
      const question = asking([perHour(9), atOnce(1)], { maxWaitMs: 60_000 });
      await at.serve([at.limitsMount(question, {}, { limiter }), at.gateMount(gate)]);
      const leaving = at.open("/do/held");
      await at.held.untilHolds(1);
      const waiting = at.open("/do/ok");
      await at.until("one waits", () => limiter.stats().queued === 1);
      assert.ok(keepingAlive() > before);
      waiting.leave();
      leaving.leave();
      await at.finish();
      await at.until("nothing is left", () => keepingAlive() <= before);
    },
  },
  {
    name: "a gate that drains closes the connections of those it refuses",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate)]);
      const client = await at.newRawClient();
      client.send(rawRequest("/do/ok"));
      await client.receives("200 OK");
      await gate.drain();
      client.send(rawRequest("/do/ok"));
      await at.until("the connection is closed", () => client.socket.destroyed);
      assert.match(client.received(), /HTTP\/1\.1 503 [\s\S]*connection: close/i);
    },
  },
  {
    name: "a gate that drains lets an upload read its answer before the connection closes",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 1 });
      await at.serve([at.gateMount(gate)]);
      await gate.drain();
      const bytes = 20 * megabyte;
      const client = at.newSingleConnection();
      const headers = { "content-length": String(bytes) };
      const upload = client.open("/do/ok", { method: "POST", body: null, headers });
      for (let sent = 0; sent < bytes; sent += megabyte) upload.send(Buffer.alloc(megabyte));
      upload.finish();
      const { status, body } = await upload.answer;
      assert.deepEqual([status, JSON.parse(body).reason], [503, "draining"]);
      await at.until("the connection is closed", () => client.openSockets === 0);
    },
  },
  {
    name: "a server that closes finishes what is in flight",
    protocol,
    run: async (at) => {
      const gate = at.gate({ maxInFlight: 2 });
      const source = new Readable({ read() {} });
      const stream = (): AdapterBehaviour => ({ does: "stream", source });
      await at.serve([at.gateMount(gate), at.limitsMount(asking([atOnce(2)]))], { stream });
      source.push("first");
      const client = await at.newRawClient();
      client.send(rawRequest("/do/stream", { head: "Connection: close\r\n" }));
      await client.receives("first");
      const drained = gate.drain();
      const closed = at.running.close();
      source.push("last");
      source.push(null);
      await client.receives("last");
      if (!client.socket.destroyed) await once(client.socket, "close");
      await Promise.all([drained, closed]);
      await at.untilIdle();
      assert.deepEqual(at.journal.outcomes, ["success"]);
    },
  },
];
