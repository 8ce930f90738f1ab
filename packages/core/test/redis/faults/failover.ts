import { expect } from "vitest";
import type { RedisCluster } from "../../../../../tools/redis/redis-cluster";
import type { RedisSentinel } from "../../../../../tools/redis/redis-sentinel";
import type { RedisServer } from "../../../../../tools/redis/redis-server";
import { slotOf } from "../../../src/redis/key/slot";
import { clusterClients, sentinelClients } from "../executor/clients";
import { type Choice, isRecommended } from "./connectivity";
import { defaultClusterClients, defaultSentinelClients } from "./fault-clients";
import type { FaultTable } from "./fault-table";
import { lateOf, type OutageReport, rowOf, runOutage, TRAFFIC_ID } from "./outage-run";
import { countedIn, failureCodesOf, openSubject, type Subject, usedIn } from "./subject";
import { Traffic } from "./traffic";

/** How a master is lost. */
export type Loss = "killed" | "stopped";

const lose = (master: RedisServer, loss: Loss) =>
  loss === "killed" ? master.kill() : master.pause();

const bringBack = (master: RedisServer, loss: Loss) =>
  loss === "killed" ? master.restart() : master.resume();

function openBehindSentinel(choice: Choice, group: RedisSentinel): readonly Subject[] {
  const { masterName, sentinelPorts } = group;
  const open = (kinds: typeof sentinelClients, options: string) =>
    kinds.filter(choice).map(({ name, make }) =>
      openSubject({
        name: `${name} ${options}`,
        connect: () => make(masterName, sentinelPorts),
      }),
    );
  return [...open(sentinelClients, "recommended"), ...open(defaultSentinelClients, "default")];
}

function openOnCluster(choice: Choice, ports: readonly number[]): readonly Subject[] {
  const open = (kinds: typeof clusterClients, options: string) =>
    kinds
      .filter(choice)
      .map(({ name, make }) =>
        openSubject({ name: `${name} ${options}`, connect: () => make(ports) }),
      );
  return [...open(clusterClients, "recommended"), ...open(defaultClusterClients, "default")];
}

/** Acknowledged units that the new master does not have. */
async function lostBy({ subject, admittedByStore }: OutageReport): Promise<number | undefined> {
  try {
    return admittedByStore - (await usedIn(subject, countedIn(TRAFFIC_ID)));
  } catch {
    return undefined;
  }
}

interface Scene {
  readonly table: FaultTable;
  readonly row: string;
  readonly scenario: string;
  readonly subjects: readonly Subject[];
  readonly master: RedisServer;
  readonly loss: Loss;
  readonly hasToRecover: (subject: Subject) => boolean;
  /** Resolves when the servers have another master. */
  readonly succeeded: () => Promise<RedisServer>;
}

/** How long after the servers have a new master everybody has to have found it. */
const FOUND_WITHIN_MS = 6_000;

async function lossOfMaster(scene: Scene): Promise<readonly OutageReport[]> {
  const { table, row, scenario, subjects, master, loss } = scene;
  let beganMs = 0;
  let promotionMs = 0;
  const reports = await runOutage({
    subjects,
    begin: () => {
      beganMs = performance.now();
      return lose(master, loss);
    },
    lastsMs: 0,
    end: async () => {
      await scene.succeeded();
      promotionMs = performance.now() - beganMs;
    },
    hasToRecover: scene.hasToRecover,
    recoversWithinMs: 20_000,
  });
  for (const report of reports) {
    const { recoveryMs } = report;
    const lost = await lostBy(report);
    const total =
      recoveryMs === undefined ? "" : `, ${Math.round(promotionMs + recoveryMs)} in all`;
    const after = recoveryMs === undefined ? "-" : `+${Math.round(recoveryMs)}`;
    const recovery = `promotion ${Math.round(promotionMs)}, ${after}${total} ms`;
    const overAdmission = lost === undefined ? "-" : `${lost} acknowledged lost`;
    table.add({ row, scenario, ...rowOf(report), overAdmission, recovery });
  }
  expect(lateOf(reports)).toEqual([]);
  for (const report of reports.filter(({ subject }) => isRecommended(subject))) {
    expect(report.recoveryMs).toBeLessThan(FOUND_WITHIN_MS);
    // Asynchronous replication lags by what was acknowledged in its last moments.
    const lost = await lostBy(report);
    expect(lost).toBeLessThanOrEqual(10);
    expect(lost).toBeGreaterThanOrEqual(-report.unheard);
  }
  return reports;
}

export async function sentinelLosesMaster(
  table: FaultTable,
  choice: Choice,
  group: RedisSentinel,
  loss: Loss,
): Promise<void> {
  const master = await group.master();
  const row = loss === "killed" ? "F26" : "F28";
  const subjects = openBehindSentinel(choice, group);
  const succeeded = () => group.master();
  const scenario = `Sentinel: master ${loss}`;
  const scene = { table, row, scenario, subjects, master, loss, succeeded };
  const reports = await lossOfMaster({ ...scene, hasToRecover: isRecommended });
  const used = () => usesOf(reports);
  const before = await used();
  await bringBack(master, loss);
  await group.whenHealthy();
  // Who was master writes nothing of its own any more: nobody has charged anything there.
  expect(await used()).toEqual(before);
}

async function usesOf(reports: readonly OutageReport[]): Promise<readonly number[]> {
  const recommended = reports.filter(({ subject }) => isRecommended(subject));
  return Promise.all(recommended.map(({ subject }) => usedIn(subject, countedIn(TRAFFIC_ID))));
}

/** Whether its client is of a library that is replaced in trouble. */
const isReplaced = ({ name }: Subject) => name.startsWith("redis ");

/** Descriptors of each subject that do not live on the master of its traffic. */
async function elsewhere(cluster: RedisCluster, { prefix }: Subject, master: RedisServer) {
  for (let id = 0; ; id += 1) {
    const slot = slotOf(`${prefix}1:{user:other${id}}`);
    if ((await cluster.masterOf(slot)) !== master) return countedIn(`other${id}`);
  }
}

export async function clusterLosesMaster(
  table: FaultTable,
  choice: Choice,
  cluster: RedisCluster,
  loss: Loss,
): Promise<void> {
  const slot = slotOf(`{user:${TRAFFIC_ID}}`);
  const subjects = openOnCluster(choice, cluster.ports);
  const master = await cluster.masterOf(slot);
  const others = await Promise.all(
    subjects.filter(isRecommended).map(async (subject) => {
      const question = await elsewhere(cluster, subject, master);
      return { subject, traffic: new Traffic(subject.limiter, () => question, 20) };
    }),
  );
  await Promise.all(
    others.map(({ traffic }) =>
      traffic.until("the others answer", ({ source }) => source === "store", 10_000),
    ),
  );
  const sinceMs = performance.now();
  const scenario = `cluster: master ${loss}`;
  const succeeded = () => cluster.masterOf(slot);
  const scene = { table, row: "F30", scenario, subjects, master, loss, succeeded };
  await lossOfMaster({ ...scene, hasToRecover: (each) => isRecommended(each) || isReplaced(each) });
  // A client that does not recover by itself was replaced, whatever its options.
  for (const subject of subjects.filter(isReplaced)) {
    expect(subject.connects()).toBeGreaterThan(1);
  }
  for (const { subject, traffic } of others) {
    const observed = (await traffic.stop()).filter(({ askedMs }) => askedMs >= sinceMs);
    const failed = observed.filter(({ source }) => source !== "store");
    const durations = observed.map((each) => traffic.durationMs(each)).sort((a, b) => a - b);
    table.add({
      row: "F30",
      scenario: `${scenario}: other shards`,
      client: subject.name,
      worstMs: durations.at(-1) ?? 0,
      policy: `${failed.length} of ${observed.length}`,
    });
    // A verdict that comes late because the machine is busy is nobody's fault.
    expect(failed.filter((each) => !traffic.isDisturbed(each)).length).toBeLessThanOrEqual(2);
  }
  await bringBack(master, loss);
  await cluster.whenHealthy();
}

/** With full coverage, which is the default of servers, a lost master stops all shards. */
export async function clusterIsDown(
  table: FaultTable,
  choice: Choice,
  cluster: RedisCluster,
): Promise<void> {
  const master = await cluster.masterOf(slotOf(`{user:elsewhere}`));
  const replica = await cluster.replicaOf(slotOf(`{user:elsewhere}`));
  const subjects = openOnCluster(choice, cluster.ports).filter(isRecommended);
  const reports = await runOutage({
    subjects,
    begin: () => Promise.all([master.kill(), replica.kill()]),
    lastsMs: 5_000,
    end: async () => {
      await Promise.all([master.restart(), replica.restart()]);
    },
    hasToRecover: () => false,
  });
  for (const report of reports) {
    table.add({ row: "F21", scenario: "CLUSTERDOWN", ...rowOf(report) });
    const late = report.during.slice(-20);
    expect(late.every(({ source }) => source === "policy")).toBe(true);
    expect(failureCodesOf(report.subject)).not.toContain("SLUICE_STORE_PROTOCOL");
  }
  expect(lateOf(reports)).toEqual([]);
}
