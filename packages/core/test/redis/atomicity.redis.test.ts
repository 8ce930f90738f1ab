import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../../../tools/redis/fault-proxy";
import { type RedisServer, startServer } from "../../../../tools/redis/redis-server";
import type { BurstAnswer } from "./atomicity/orders";
import { type BurstName, burstQuestions } from "./atomicity/subjects";
import { startWorkers, type WorkerProcess } from "./atomicity/workers";
import { checkHistory, type Terms } from "./checker/check-history";
import type { FinalState, HistoryRecord } from "./checker/history";
import { pause } from "./executor/stage";
import { sharedPorts } from "./open-redis-store";
import { type ClientName, isClusterClient } from "./patient-clients";
import { storedKeys } from "./stored-keys";

const PROCESSES = 4;
const clients = [
  "ioredis 6, single",
  "redis 6, single",
  "ioredis 6, cluster",
  "redis 6, cluster",
] as const;

const run = `${process.pid}-${Date.now()}`;
const prefixOf = (client: ClientName, what: string) =>
  `${what}-${client.replace(/[^a-z0-9]/g, "")}-${run}-`;

const workers: WorkerProcess[] = [];

async function start(settings: Parameters<typeof startWorkers>[1]) {
  const started = await startWorkers(PROCESSES, settings);
  workers.push(...started);
  return started;
}

async function killAll(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
}

/** What is stored, under the names that the history uses. */
async function finalState(ports: readonly number[], prefix: string): Promise<FinalState> {
  const keys = await storedKeys(ports, prefix);
  const counters = keys.flatMap(({ key, counters: own }) => {
    const name = /\{(.*)\}/.exec(key)?.[1] ?? "";
    return own.map(({ limit, used }) => ({ key: name, limit, used }));
  });
  return { counters, timesToLive: keys.map(({ key, ttlMs }) => ({ key, ttlMs })) };
}

const terms = (client: ClientName): Terms => ({
  deadlineMs: 10_000,
  isOneStep: !isClusterClient(client),
  isLasting: ({ limit }) => limit.startsWith("lasting"),
});

/** Waits until a history and what it left agree; nothing remains if they do. */
async function violationsOf(
  history: readonly HistoryRecord[],
  at: { readonly client: ClientName; readonly ports: readonly number[]; readonly prefix: string },
): Promise<unknown> {
  const endMs = performance.now() + 5_000;
  for (;;) {
    const final = await finalState(at.ports, at.prefix);
    const violations = checkHistory(history, final, terms(at.client));
    if (violations.length === 0 || performance.now() > endMs) return violations;
    await pause(100);
  }
}

async function mixedHistory(
  processes: readonly WorkerProcess[],
  disturb: () => Promise<void> = async () => {},
): Promise<readonly HistoryRecord[]> {
  const order = { do: "mix", lanes: 8, questions: 12 } as const;
  const mixed = processes.map((worker) => worker.ask<readonly HistoryRecord[]>(order));
  await disturb();
  const histories = await Promise.all(mixed);
  const retries = await processes[0]?.ask<readonly HistoryRecord[]>({ do: "retry" });
  return [...histories.flat(), ...(retries ?? [])];
}

function outcomesOf(history: readonly HistoryRecord[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type, outcome } of history) {
    if (type === "admit") counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

describe.each(clients)("Four processes, %s:", (client) => {
  const ports = () => sharedPorts(client);
  const prefix = prefixOf(client, "fleet");
  let processes: readonly WorkerProcess[] = [];

  beforeAll(async () => {
    processes = await start({ client, ports: ports(), prefix });
  });
  afterAll(killAll);

  it.each(Object.keys(burstQuestions) as BurstName[])(
    "a thousand simultaneous questions at 5 of %s admit exactly 5",
    async (about) => {
      const order = { do: "burst", about, questions: 1_000 / PROCESSES } as const;
      const answers = await Promise.all(processes.map((worker) => worker.ask<BurstAnswer>(order)));
      const sum = (of: keyof BurstAnswer) => answers.reduce((total, each) => total + each[of], 0);
      expect(sum("unavailable")).toBe(0);
      expect([sum("admitted"), sum("refused")]).toEqual([5, 995]);
      const names = new Set(burstQuestions[about].map(({ kind, id }) => `${kind}:${id}`));
      // What was charged and has to be taken back is so a little later.
      await expect
        .poll(
          async () => {
            const { counters } = await finalState(ports(), prefix);
            return counters
              .filter(({ key, limit }) => names.has(key) && limit !== "#operations")
              .map(({ used }) => used);
          },
          { timeout: 10_000 },
        )
        .toEqual(burstQuestions[about].flatMap(({ limits }) => limits.map(() => 5)));
    },
  );

  it("mixed questions with overlapping limits keep I1 to I11", async () => {
    const history = await mixedHistory(processes);
    expect(await violationsOf(history, { client, ports: ports(), prefix })).toEqual([]);
    const { admitted = 0, refused = 0 } = outcomesOf(history);
    expect(admitted).toBeGreaterThan(30);
    expect(refused).toBeGreaterThan(30);
  });
});

describe("Mixed questions whose connections are cut", () => {
  let server: RedisServer;
  let proxy: FaultProxy;
  beforeAll(async () => {
    server = await startServer();
    proxy = await startFaultProxy(server.port);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });
  afterEach(killAll);

  it.each(["ioredis 6, single", "redis 6, single"] as const)(
    "keep I1 to I11, each unknown call within its own cost, %s",
    async (client) => {
      const at = { client, ports: [server.port], prefix: prefixOf(client, "cut") };
      const processes = await start({ ...at, ports: [proxy.port] });
      const history = await mixedHistory(processes, async () => {
        // Whether a cut meets a call under way is chance; a reply that is swallowed was one.
        await proxy.swallowReplies(4);
        for (let cut = 0; cut < 4; cut += 1) {
          await pause(40);
          await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        }
      });
      expect(await violationsOf(history, at)).toEqual([]);
      expect(outcomesOf(history).info).toBeGreaterThan(0);
    },
  );
});
