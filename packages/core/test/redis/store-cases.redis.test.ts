import { concurrency, createLimiter, fixedWindow, type SluiceEvent } from "@sluice/core";
import { redisStore } from "@sluice/core/redis";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { type RedisServer, startServer } from "../../../../tools/redis/redis-server";
import { RespConnection } from "../../../../tools/redis/resp-connection";
import { expectAdmitted, expectRejected } from "../verdicts";
import { pause } from "./executor/stage";
import { openRedisStore, sharedPorts } from "./open-redis-store";

const LONG_MS = 3_600_000;
const run = `${process.pid}-${Date.now()}`;
const clients = [
  "ioredis 6, single",
  "redis 6, single",
  "ioredis 6, cluster",
  "redis 6, cluster",
] as const;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

let server: RedisServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const prefixOf = (what: string, client: string) =>
  `${what}-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;

const questionOf = (id: string, max = 10) => ({
  descriptors: [{ kind: "k", id, limits: [fixedWindow({ max, windowMs: LONG_MS })] }],
});

/** A limiter, and the errors that its store failed with. */
function limiterOn(
  store: Parameters<typeof createLimiter>[0] & { readonly store: object },
): ReturnType<typeof createLimiter> & { readonly failures: string[] } {
  const failures: string[] = [];
  const recorder = {
    record: (event: SluiceEvent) => {
      if (event.type === "store_failed") failures.push(String(event.error));
    },
  };
  return Object.assign(createLimiter({ ...store, recorder }), { failures });
}

describe.each([
  { library: "ioredis", make: () => new Redis(server.port, "127.0.0.1") },
  { library: "redis", make: () => createClient({ url: `redis://127.0.0.1:${server.port}` }) },
])("R036: the default options of $library", ({ library, make }) => {
  it("hold no question up while the server is away, and charge none of them later", async () => {
    await server.restart();
    const prefix = `r036-${library}-${run}-`;
    const store = redisStore({ connect: make, prefix, timeoutMs: 100 });
    opened.push(store);
    const limiter = limiterOn({ store, onStoreUnavailable: "admit" });
    const question = questionOf("k", 1_000);
    const isStore = async () => (await limiter.peek(question)).statuses.length === 1;
    await expect.poll(isStore, { timeout: 10_000 }).toBe(true);
    await server.kill();
    for (let asked = 0; asked < 20; asked += 1) {
      const beganMs = performance.now();
      expectAdmitted(await limiter.admit(question));
      // A tenth of a second is its own; a busy machine may add to it, but no library does.
      expect(performance.now() - beganMs).toBeLessThan(2_000);
      await pause(40);
    }
    await server.restart();
    await expect.poll(isStore, { timeout: 15_000 }).toBe(true);
    const { statuses } = await limiter.admit(question);
    expect(statuses).toMatchObject([{ used: 1, source: "store" }]);
  });
});

describe.each(["ioredis 6, single", "redis 6, single"] as const)("A node that %s", (client) => {
  it("R037: finds read-only is a store that is away, never a full limit, until it is promoted", async () => {
    await server.restart();
    const store = await openRedisStore(client, { prefix: `r037-${run}`, ports: [server.port] });
    opened.push(store);
    const limiter = limiterOn({ store, onStoreUnavailable: "reject" });
    expectAdmitted(await limiter.admit(questionOf("k")));
    await server.command("REPLICAOF", "127.0.0.1", "1");
    for (let asked = 0; asked < 3; asked += 1) {
      expectRejected(await limiter.admit(questionOf("k")), "store_unavailable");
    }
    expect(limiter.failures.length).toBeGreaterThan(0);
    await server.command("REPLICAOF", "NO", "ONE");
    const isBack = async () => (await limiter.admit(questionOf("k"))).admitted;
    await expect.poll(isBack, { timeout: 5_000 }).toBe(true);
  });
});

describe.each(clients)("Through %s", (client) => {
  it("R039: no id leads to CROSSSLOT, however it is spelled", async () => {
    const store = await openRedisStore(client, { prefix: prefixOf("r039", client) });
    opened.push(store);
    const limiter = limiterOn({ store, onStoreUnavailable: "reject" });
    const ids = ["a", "user:{1}", "{}", "a{b}c{d}", "x}y{z", "a b", "k".repeat(300)];
    const limits = [
      fixedWindow({ max: 3, windowMs: LONG_MS }),
      concurrency({ name: "a", max: 3 }),
      concurrency({ name: "b", max: 3 }),
    ];
    const descriptors = ids.map((id) => ({ kind: "k", id, limits }));
    for (const descriptor of descriptors) {
      expectAdmitted(await limiter.admit({ descriptors: [descriptor] }));
    }
    const together = expectAdmitted(await limiter.admit({ descriptors }));
    await together.settle({ requests: 0 });
    const { statuses } = await limiter.peek({ descriptors });
    expect(statuses.map(({ used }) => used)).toEqual(Array(21).fill(1));
    expect(limiter.failures).toEqual([]);
    await limiter.close();
  });

  it("R041: scripts that every node forgets, again and again, cost no question its answer", async () => {
    const store = await openRedisStore(client, { prefix: prefixOf("r041", client) });
    opened.push(store);
    const limiter = limiterOn({ store, onStoreUnavailable: "reject" });
    const nodes = await Promise.all(sharedPorts(client).map((port) => RespConnection.open(port)));
    const forget = () => Promise.all(nodes.map((node) => node.command("SCRIPT", "FLUSH")));
    const ids = Array.from({ length: 10 }, (_, index) => `k${index}`);
    const admitted = new Map<string, number>();
    for (let round = 0; round < 4; round += 1) {
      await forget();
      const asking = ids.flatMap((id) =>
        Array.from({ length: 5 }, async () => {
          const verdict = await limiter.admit(questionOf(id));
          if (verdict.admitted) admitted.set(id, (admitted.get(id) ?? 0) + 1);
        }),
      );
      // Once more while they are under way.
      await Promise.all([...asking, forget()]);
    }
    expect(limiter.failures).toEqual([]);
    expect([...admitted.values()]).toEqual(Array(10).fill(10));
    const used = await Promise.all(ids.map((id) => limiter.peek(questionOf(id))));
    expect(used.flatMap(({ statuses }) => statuses.map((status) => status.used))).toEqual(
      Array(10).fill(10),
    );
    for (const node of nodes) node.close();
  });
});

describe.each(["ioredis 6, single", "redis 6, single"] as const)("Through %s", (client) => {
  it("R043: a key that is deleted in between is an answer, not an error", async () => {
    const prefix = prefixOf("r043", client);
    const store = await openRedisStore(client, { prefix });
    opened.push(store);
    const limiter = limiterOn({ store, onStoreUnavailable: "reject" });
    const other = await RespConnection.open(inject("redisPort"));
    for (let round = 0; round < 3; round += 1) {
      const permit = expectAdmitted(await limiter.admit(questionOf("k", 1)));
      expectRejected(await limiter.admit(questionOf("k", 1)), "window_exhausted");
      await other.command("DEL", `${prefix}1:{k:k}`);
      await permit.settle({ requests: 0 });
    }
    expect(limiter.failures).toEqual([]);
    other.close();
  });
});
