import {
  concurrency,
  fixedWindow,
  type Limit,
  type LimiterPermit,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@sluice/core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, startServer } from "../../../../tools/redis/redis-server";
import { expectAdmitted, expectRejected } from "../verdicts";
import { mixedSubjects } from "./atomicity/subjects";
import { startWorkers, type WorkerProcess } from "./atomicity/workers";
import { pause } from "./executor/stage";
import { type Evidence, openEvidence } from "./keys/evidence";
import { foreignContents } from "./keys/foreign-contents";
import { sharedPorts } from "./open-redis-store";
import type { ClientName } from "./patient-clients";
import { type StoredKey, storedKeys } from "./stored-keys";

const LONG_MS = 3_600_000;
const run = `${process.pid}-${Date.now()}`;

/** What a key outlives its content by; the reference says so. */
const SLACK_MS = 10_000;

/** The server sets an end by the clock at which a call began, and may have been stopped since. */
const CLOCK_ERROR_MS = 1_000;

let server: RedisServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const opened: Evidence[] = [];
const workers: WorkerProcess[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
});

async function open(
  prefix: string,
  options: Partial<Parameters<typeof openEvidence>[1]> & { readonly client?: ClientName } = {},
): Promise<Evidence> {
  const { client = "ioredis 6, single", ...others } = options;
  const evidence = await openEvidence(client, { prefix, ports: [server.port], ...others });
  opened.push(evidence);
  return evidence;
}

/** Law 7: every key ends, ten seconds after the last thing in it that means something. */
function expectEnds(keys: readonly StoredKey[]): void {
  for (const { key, ttlMs, latestMs, serverNowMs } of keys) {
    expect(ttlMs, key).toBeGreaterThan(0);
    const expectedMs = latestMs - serverNowMs + SLACK_MS;
    expect(Math.abs(ttlMs - expectedMs), `${key}: ${ttlMs}, ${expectedMs}`).toBeLessThanOrEqual(
      CLOCK_ERROR_MS,
    );
  }
}

describe("Every key ends when the reference says", () => {
  const clients = ["ioredis 6, single", "redis 6, cluster"] as const;

  it.each(clients)("after mixed commands, and after clients were killed, %s", async (client) => {
    const ports = sharedPorts(client);
    const prefix = `ends-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;
    const [calm, ...doomed] = await startWorkers(4, { client, ports, prefix });
    if (calm === undefined) throw new Error("no process was started");
    workers.push(calm, ...doomed);
    for (const [place, worker] of doomed.entries()) {
      await worker.ask({ do: "go on" });
      // Whatever its eight callers are in the middle of, it is the end of it.
      await pause(60 + 25 * place);
      await worker.kill();
      expectEnds(await storedKeys(ports, prefix));
    }
    await calm.ask({ do: "mix", lanes: 8, questions: 8 });
    const keys = await storedKeys(ports, prefix);
    // Those of leases are gone when all leases are, and whoever was killed may have had none.
    expect(keys.length).toBeGreaterThanOrEqual(mixedSubjects.length);
    expectEnds(keys);
  });
});

const everyKind: readonly Limit[] = [
  fixedWindow({ name: "window", max: 5, windowMs: LONG_MS }),
  slidingWindow({ name: "sliding", max: 5, windowMs: LONG_MS }),
  slidingLog({ name: "log", max: 5, windowMs: LONG_MS }),
  tokenBucket({ name: "bucket", capacity: 5, refill: 1, perMs: LONG_MS }),
  concurrency({ name: "slots", max: 5 }),
];

const keyOf = (prefix: string, id: string) => `${prefix}1:{k:${id}}`;
const questionOf = (id: string, limits = everyKind) => ({
  descriptors: [{ kind: "k", id, limits }],
});

async function usedOf({ limiter }: Evidence, id: string): Promise<readonly number[]> {
  return (await limiter.peek(questionOf(id))).statuses.map(({ used }) => used);
}

describe("A key that somebody else wrote, and that never ends, where we look for", () => {
  const prefix = `foreign-${run}-`;
  let ids = 0;
  const freshId = () => {
    ids += 1;
    return `s${ids}`;
  };

  it.each(foreignContents)("counters, R033: $what is replaced, and reported", async ({ put }) => {
    const on = await open(prefix);
    const id = freshId();
    await put(server, keyOf(prefix, id));
    expect(await usedOf(on, id)).toEqual([0, 0, 0, 0, 0]);
    const permit = expectAdmitted(await on.limiter.admit(questionOf(id)));
    expect(await usedOf(on, id)).toEqual([1, 1, 1, 1, 1]);
    expect(on.countOf("state_replaced")).toBeGreaterThan(0);
    await permit.refund();
    expect(await usedOf(on, id)).toEqual([0, 0, 0, 0, 0]);
    expect(on.failures()).toEqual([]);
    expectEnds(await storedKeys([server.port], keyOf(prefix, id)));
  });

  it.each(foreignContents)("leases: $what is replaced, and reported", async ({ put }) => {
    const on = await open(prefix);
    const id = freshId();
    const leases = `${keyOf(prefix, id)}~slots`;
    await put(server, leases);
    expect(await usedOf(on, id)).toEqual([0, 0, 0, 0, 0]);
    const permit = expectAdmitted(await on.limiter.admit(questionOf(id)));
    expect(on.events).toContainEqual({
      type: "state_replaced",
      key: `k:${id}`,
      limit: "slots",
    });
    await permit.release();
    expect(await usedOf(on, id)).toEqual([1, 1, 1, 1, 0]);
    expect(on.failures()).toEqual([]);
    expectEnds(await storedKeys([server.port], keyOf(prefix, id)));
  });

  it.each(foreignContents)(
    "what a permit holds: $what stops no settle, release, renewal, reset or undo",
    async ({ put }) => {
      const on = await open(prefix);
      const id = freshId();
      const key = keyOf(prefix, id);
      const permits: LimiterPermit[] = [];
      for (let taken = 0; taken < 4; taken += 1) {
        permits.push(expectAdmitted(await on.limiter.admit(questionOf(id))));
      }
      const disturb = async () => {
        await server.command("DEL", key, `${key}~slots`);
        await put(server, key);
        await put(server, `${key}~slots`);
      };
      const lease = {
        limit: everyKind[4] as ReturnType<typeof concurrency>,
        operationId: permits[0]?.id ?? "",
        expiresAtMs: Date.now() + LONG_MS,
      };
      const limits = everyKind;
      const undo = {
        type: "undo",
        operationId: "u",
        serial: 1,
        targets: [{ kind: "k", id, limits }],
        tombstoneMs: 1_000,
      } as const;
      const commands: (() => Promise<unknown>)[] = [
        async () => permits[0]?.release(),
        async () => permits[1]?.refund(),
        async () => permits[2]?.settle({ requests: 0 }),
        async () => permits[3]?.settle({ requests: 3 }),
        () =>
          on.store.renew({
            type: "renew",
            serial: 1,
            targets: [{ kind: "k", id, leases: [lease] }],
          }),
        () => on.limiter.reset(questionOf(id)),
        () => on.store.undo(undo),
      ];
      for (const command of commands) {
        await disturb();
        await command();
      }
      expect(on.failures()).toEqual([]);
      expectAdmitted(await on.limiter.admit(questionOf(id)));
      expectEnds(await storedKeys([server.port], key));
    },
  );
});

describe("A key of ours that never ends", () => {
  const prefix = `immortal-${run}-`;
  const short = [fixedWindow({ name: "window", max: 2, windowMs: 150 })];

  it("R033: ends again with the next charge, and locks nobody out", async () => {
    const on = await open(prefix);
    expectAdmitted(await on.limiter.admit(questionOf("a", short)));
    await server.command("PERSIST", keyOf(prefix, "a"));
    expectAdmitted(await on.limiter.admit(questionOf("a", short)));
    expectEnds(await storedKeys([server.port], prefix));
    await server.command("PERSIST", keyOf(prefix, "a"));
    await pause(152);
    const { statuses } = await on.limiter.admit(questionOf("a", short));
    expect(statuses).toMatchObject([{ used: 1, admitted: true }]);
    expectEnds(await storedKeys([server.port], prefix));
  });

  it("R033: that ends between two questions is a fresh subject", async () => {
    const on = await open(prefix);
    const question = questionOf("b");
    expectAdmitted(await on.limiter.admit(question));
    await server.command("PEXPIRE", keyOf(prefix, "b"), 1);
    await pause(5);
    const { statuses } = await on.limiter.admit(question);
    expect(statuses.map(({ used }) => used)).toEqual([1, 1, 1, 1, 2]);
    expectEnds(await storedKeys([server.port], prefix));
  });

  it("R007: of a slow bucket lives until the bucket is full", async () => {
    const on = await open(prefix);
    const slow = [tokenBucket({ capacity: 1, refill: 1, perMs: 10_000 })];
    expectAdmitted(await on.limiter.admit(questionOf("slow", slow)));
    const [stored] = await storedKeys([server.port], keyOf(prefix, "slow"));
    expect(stored?.ttlMs).toBeGreaterThan(10_000);
  });

  it.each([60_000, LONG_MS, 365 * 24 * LONG_MS])(
    "R014: of a window of %d ms ends within it and the slack",
    async (windowMs) => {
      const on = await open(prefix);
      const limits = [fixedWindow({ max: 60, windowMs })];
      const { statuses } = await on.limiter.admit(questionOf(`w${windowMs}`, limits));
      const [stored] = await storedKeys([server.port], keyOf(prefix, `w${windowMs}`));
      expect(stored?.ttlMs).toBeGreaterThan(0);
      expect(stored?.ttlMs).toBeLessThanOrEqual(windowMs + SLACK_MS);
      expect(statuses[0]?.resetAfterMs).toBeLessThanOrEqual(windowMs);
    },
  );

  it("R034: is not made by late refunds, and a refund moves no end", async () => {
    const on = await open(prefix);
    const limits = [fixedWindow({ max: 5, windowMs: 150 })];
    const permits: LimiterPermit[] = [];
    for (let taken = 0; taken < 5; taken += 1) {
      permits.push(expectAdmitted(await on.limiter.admit(questionOf("late", limits))));
    }
    await server.command("DEL", keyOf(prefix, "late"));
    await Promise.all(permits.map((permit) => permit.refund()));
    expect(await storedKeys([server.port], keyOf(prefix, "late"))).toEqual([]);
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () => on.limiter.admit(questionOf("late", limits))),
    );
    expect(verdicts.filter(({ admitted }) => admitted).length).toBe(5);
  });
});

describe("A server that is out of memory", () => {
  const clients = ["ioredis 6, single", "redis 6, single"] as const;
  const policies = ["local", "admit", "reject"] as const;
  const cases = clients.flatMap((client) => policies.map((policy) => [policy, client] as const));
  afterEach(() => server.command("CONFIG", "SET", "maxmemory", "0"));

  it.each(cases)("charges nothing and gives back; the policy is %s, %s", async (policy, client) => {
    const prefix = `oom-${policy}-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;
    const on = await open(prefix, { client, onStoreUnavailable: policy });
    const [first, second, third] = [
      expectAdmitted(await on.limiter.admit(questionOf("k"))),
      expectAdmitted(await on.limiter.admit(questionOf("k"))),
      expectAdmitted(await on.limiter.admit(questionOf("k"))),
    ];
    await server.command("CONFIG", "SET", "maxmemory", "1");
    const verdict = await on.limiter.admit(questionOf("k"));
    if (policy === "reject") expectRejected(verdict, "store_unavailable");
    else expect(verdict.admitted).toBe(true);
    const sources = on.events.flatMap((event) => (event.type === "verdict" ? event.source : []));
    expect(sources.at(-1)).toBe(policy === "local" ? "local" : "policy");
    const counts = async () => {
      const found = await storedKeys([server.port], prefix);
      expectEnds(found);
      const keys = [...found].sort((a, b) => (a.key < b.key ? -1 : 1));
      // A report that is to be made once leaves a record, which counts nothing.
      return keys.flatMap(({ counters }) =>
        counters.filter(({ limit }) => !limit.startsWith("#")).map(({ used }) => used),
      );
    };
    expect(await counts()).toEqual([3, 3, 3, 3, 3]);
    await first.release();
    await second.refund();
    await third.settle({ requests: 2 });
    // What was admitted without the server is reported by commands that only correct.
    const reported = policy === "local" ? [4, 4, 4, 4, 1] : [3, 3, 3, 3];
    await expect.poll(counts, { timeout: 10_000 }).toEqual(reported);
    await server.command("CONFIG", "SET", "maxmemory", "0");
    if (verdict.admitted) await verdict.permit.release();
    const isBack = async () => {
      const { statuses } = await on.limiter.peek(questionOf("k"));
      return statuses.map(({ used, source }) => [used, source]);
    };
    const store = [...reported.slice(0, 4), 0].map((used) => [used, "store"]);
    await expect.poll(isBack, { timeout: 10_000 }).toEqual(store);
  });
});

/** Asks, expects that no count is wrong, and closes the permit in one of three ways. */
async function ask({ limiter }: Evidence, id: string): Promise<void> {
  const verdict = await limiter.admit(questionOf(id));
  for (const { used, max } of verdict.statuses) {
    expect(used).toBeGreaterThanOrEqual(0);
    expect(used).toBeLessThanOrEqual(max);
  }
  if (!verdict.admitted) return;
  const { permit } = verdict;
  if (id.endsWith("1")) await permit.refund();
  else if (id.endsWith("2")) await permit.settle({ requests: 0 });
  else await permit.release();
}

describe("A server that evicts keys", () => {
  let small: RedisServer;
  beforeAll(async () => {
    small = await startServer({ config: ["maxmemory-samples 10"] });
  });
  afterAll(() => small.stop());

  it.each(["allkeys-random", "volatile-ttl"])("by %s never makes a count wrong", async (policy) => {
    const prefix = `evicted-${policy}-${run}-`;
    const on = await open(prefix, { ports: [small.port] });
    // What the server needs for connections and scripts is no key, and cannot be evicted.
    await ask(on, "warm");
    const info = String(await small.command("INFO", "memory"));
    const usedBytes = Number(/used_memory:(\d+)/.exec(info)?.[1]);
    await small.command("CONFIG", "SET", "maxmemory-policy", policy);
    await small.command("CONFIG", "SET", "maxmemory", usedBytes + 600_000);
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, id) => ask(on, `${round % 30}-${id}`)));
    }
    expect(on.failures()).toEqual([]);
    expect(String(await small.command("INFO", "stats"))).not.toMatch(/evicted_keys:0\r/);
    const keys = await storedKeys([small.port], prefix);
    expectEnds(keys);
    const counts = keys.flatMap(({ counters }) => counters.map(({ used }) => used));
    expect(Math.min(0, ...counts)).toBe(0);
    await small.command("CONFIG", "SET", "maxmemory", "0");
    await small.command("FLUSHALL");
  });
});
