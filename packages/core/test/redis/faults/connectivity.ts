import { expect } from "vitest";
import { type FaultProxy, startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { type ClientKind, singleClients } from "../executor/clients";
import { defaultSingleClients } from "./fault-clients";
import type { FaultTable } from "./fault-table";
import { lateOf, type OutageReport, rowOf, runOutage, TRAFFIC_ID } from "./outage-run";
import { countedIn, failureCodesOf, openSubject, type Subject, usedIn } from "./subject";

/** Which clients a run is about. */
export type Choice = (kind: { readonly name: string }) => boolean;

const RECOMMENDED = "recommended";

export const isRecommended = ({ name }: Subject) => name.endsWith(RECOMMENDED);

/** One subject per client, with the recommended options and with those of the library. */
function openAll(choice: Choice, port: number): readonly Subject[] {
  const open = (kinds: readonly ClientKind[], options: string) =>
    kinds
      .filter(choice)
      .map(({ name, make }) =>
        openSubject({ name: `${name} ${options}`, connect: () => make([port]) }),
      );
  return [...open(singleClients, RECOMMENDED), ...open(defaultSingleClients, "default")];
}

/** Of the recommended options more is asked than that verdicts come in time. */
const recommendedOf = (reports: readonly OutageReport[]) =>
  reports.filter(({ subject }) => isRecommended(subject));

/** Verdicts of a time that have another source than the policy. */
const byStoreIn = ({ during }: OutageReport) =>
  during.filter(({ source }) => source === "store").length;

async function withServer<T>(use: (server: RedisServer) => Promise<T>): Promise<T> {
  const server = await startServer();
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

export async function withProxy<T>(
  use: (proxy: FaultProxy, server: RedisServer) => Promise<T>,
): Promise<T> {
  return withServer(async (server) => {
    const proxy = await startFaultProxy(server.port);
    try {
      return await use(proxy, server);
    } finally {
      await proxy.stop();
    }
  });
}

export function absentAtStart(table: FaultTable, choice: Choice): Promise<void> {
  return withServer(async (server) => {
    await server.kill();
    const reports = await runOutage({
      subjects: openAll(choice, server.port),
      isThereFromStart: true,
      begin: () => undefined,
      lastsMs: 1_000,
      end: () => server.restart(),
      hasToRecover: isRecommended,
    });
    for (const report of reports) {
      table.add({ row: "F1", scenario: "absent at start", ...rowOf(report) });
    }
    expect(lateOf(reports)).toEqual([]);
    expect(reports.map(byStoreIn)).toEqual(reports.map(() => 0));
    for (const { recoveryMs } of recommendedOf(reports)) expect(recoveryMs).toBeLessThan(3_000);
  });
}

export function killedUnderLoad(table: FaultTable, choice: Choice): Promise<void> {
  return withServer(async (server) => {
    const reports = await runOutage({
      subjects: openAll(choice, server.port),
      everyMs: 10,
      begin: () => server.kill(),
      lastsMs: 1_500,
      end: () => server.restart(),
      hasToRecover: isRecommended,
    });
    for (const report of reports) {
      table.add({ row: "F2", scenario: "killed under load", ...rowOf(report) });
    }
    expect(lateOf(reports)).toEqual([]);
    for (const report of recommendedOf(reports)) {
      expect(byStoreIn(report)).toBe(0);
      expect(report.recoveryMs).toBeLessThan(3_000);
      // The breaker is open: nobody waits for a deadline any more.
      const late = report.during.slice(report.during.length / 2).map(report.durationMs);
      expect(median(late)).toBeLessThan(1.5);
    }
  });
}

export function standsStill(table: FaultTable, choice: Choice, lastsMs: number): Promise<void> {
  return withServer(async (server) => {
    const reports = await runOutage({
      subjects: openAll(choice, server.port),
      everyMs: 10,
      begin: () => server.pause(),
      lastsMs,
      end: () => server.resume(),
      hasToRecover: isRecommended,
    });
    for (const report of reports) {
      const phantoms = isRecommended(report.subject) ? await phantomsOf(report) : undefined;
      const row = { row: "F3", scenario: `stopped for ${lastsMs / 1000} s` };
      table.add({ ...row, ...rowOf(report), overAdmission: phantoms ?? "-" });
      // Calls carry a deadline as soon as the clock of the server is known, which takes one round
      // trip after each connect. On a machine that is not busy, 0.
      expect(phantoms ?? 0).toBeLessThanOrEqual(report.unheard);
      expect(phantoms ?? 0).toBeGreaterThanOrEqual(0);
    }
    expect(lateOf(reports)).toEqual([]);
    for (const { recoveryMs } of recommendedOf(reports)) expect(recoveryMs).toBeLessThan(3_000);
  });
}

/** What the store counts beyond what it said it charged, once late charges were taken back. */
async function phantomsOf({ subject, admittedByStore }: OutageReport): Promise<number> {
  let phantoms = Number.NaN;
  await pollUntil(
    async () => {
      phantoms = (await usedIn(subject, countedIn(TRAFFIC_ID))) - admittedByStore;
      return phantoms === 0;
    },
    { what: "late charges are taken back", timeoutMs: 2_000 },
  ).catch(() => undefined);
  return phantoms;
}

export function neverAnswers(table: FaultTable, choice: Choice): Promise<void> {
  return withProxy(async (proxy) => {
    proxy.blackHole();
    const reports = await runOutage({
      subjects: openAll(choice, proxy.port),
      isThereFromStart: true,
      begin: () => undefined,
      lastsMs: 3_500,
      end: () => proxy.forward(),
      hasToRecover: isRecommended,
    });
    for (const report of reports) {
      table.add({ row: "F4", scenario: "accepts, never answers", ...rowOf(report) });
    }
    expect(lateOf(reports)).toEqual([]);
    expect(reports.map(byStoreIn)).toEqual(reports.map(() => 0));
    for (const { subject, recoveryMs } of recommendedOf(reports)) {
      expect(recoveryMs).toBeLessThan(4_000);
      // A watchdog that builds clients in a loop would make an outage worse.
      expect(subject.connects()).toBeLessThan(6);
      if (subject.name.startsWith("redis")) expect(subject.connects()).toBeGreaterThan(1);
    }
  });
}

export function refusedConnections(
  table: FaultTable,
  choice: Choice,
  scenario: "maxclients" | "no password",
): Promise<void> {
  return withServer(async (server) => {
    const own = await server.connect();
    const [begin, end] = {
      maxclients: [
        ["maxclients", 1],
        ["maxclients", 1_000],
      ],
      "no password": [
        ["requirepass", "secret"],
        ["requirepass", ""],
      ],
    }[scenario] as [string[], string[]];
    await own.command("CONFIG", "SET", ...begin);
    if (scenario === "no password") await own.command("AUTH", "secret");
    const subjects = openAll(choice, server.port);
    const before = await connectionsOf(own);
    let tries = 0;
    const lastsMs = 1_200;
    const reports = await runOutage({
      subjects,
      isThereFromStart: true,
      begin: () => undefined,
      lastsMs,
      end: async () => {
        tries = (await connectionsOf(own)) - before;
        await own.command("CONFIG", "SET", ...end);
      },
      hasToRecover: isRecommended,
    });
    own.close();
    for (const report of reports) table.add({ row: "F10", scenario, ...rowOf(report) });
    expect(lateOf(reports)).toEqual([]);
    expect(reports.map(byStoreIn)).toEqual(reports.map(() => 0));
    for (const { subject } of reports) {
      expect(failureCodesOf(subject)).not.toContain("SLUICE_STORE_PROTOCOL");
    }
    // 50 ms between two tries at least, on the mean of all clients.
    expect(tries / subjects.length).toBeLessThan(lastsMs / 50);
  });
}

async function connectionsOf(own: Awaited<ReturnType<RedisServer["connect"]>>): Promise<number> {
  const info = String(await own.command("INFO", "stats"));
  return Number(/total_connections_received:(\d+)/.exec(info)?.[1]);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
