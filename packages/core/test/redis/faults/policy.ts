import { fixedWindow, type Question, type SluiceEvent } from "@sluice/core";
import { expect } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import type { Choice } from "./connectivity";
import type { FaultTable } from "./fault-table";
import type { FleetTally } from "./fleet-messages";
import { FleetProcess } from "./fleet-process";
import { lateOf, rowOf, runOutage, TRAFFIC_ID } from "./outage-run";
import { countedIn, countOf, freshPrefix, openSubject, usedIn } from "./subject";

const INSTANCES = 3;
const WINDOW_MS = 500;
const MAX = 12;

const total = (tallies: readonly FleetTally[], source: "store" | "local") =>
  tallies.reduce((sum, { bySource }) => sum + (bySource[source] ?? 0), 0);

/** By window, what all processes together admitted. */
function byWindow(tallies: readonly FleetTally[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const { byWindowEnd } of tallies) {
    for (const [window, count] of Object.entries(byWindowEnd)) {
      sums.set(Number(window), (sums.get(Number(window)) ?? 0) + count);
    }
  }
  return sums;
}

/**
 * Three processes, a server that stands still: windows that begin in the outage stay within their
 * maximum for all processes together, and what they admitted by themselves is counted afterwards.
 */
export async function fleetInAnOutage(
  table: FaultTable,
  library: "ioredis" | "redis",
  lastsMs: number,
): Promise<void> {
  const server = await startServer();
  const prefix = freshPrefix();
  const start = { library, ports: [server.port], prefix, policy: "local" } as const;
  const fleet = Array.from(
    { length: INSTANCES },
    () => new FleetProcess({ ...start, instances: INSTANCES }),
  );
  const long = { max: 100_000, windowMs: 3_600_000 };
  const descriptors = [
    { id: "short", window: { max: MAX, windowMs: WINDOW_MS } },
    { id: "long", window: long },
  ];
  const all = (type: "traffic" | "tally" | "stop" | "close", everyMs?: number) =>
    Promise.all(
      fleet.map((each) =>
        each.tell(type, { descriptors, ...(everyMs === undefined ? {} : { everyMs }) }),
      ),
    );
  await all("traffic", 10);
  const areThere = async () => (await all("tally")).every(({ bySource }) => bySource.store);
  await pollUntil(areThere, { what: "the store answers all processes" });
  server.pause();
  const beganMs = Date.now();
  await pause(lastsMs);
  const endedMs = Date.now();
  server.resume();
  const isBack = async () => {
    const tallies = await all("tally");
    return tallies.every(({ fromStoreMs }) => (fromStoreMs.at(-1) ?? 0) > endedMs + 20);
  };
  await pollUntil(isBack, { what: "the store answers all processes again" });
  const recovery = Date.now() - endedMs;
  const tallies = await all("stop");
  const whole = [...byWindow(tallies)].filter(
    ([end]) => (end - 1) * WINDOW_MS > beganMs && end * WINDOW_MS < endedMs,
  );
  const most = Math.max(...whole.map(([, count]) => count));
  const local = total(tallies, "local");
  const admitted = total(tallies, "store") + local;
  const counted = await countedAtLast(server, prefix, long, admitted);
  table.add({
    row: "F88",
    scenario: `${INSTANCES} processes, ${whole.length} windows in the outage`,
    client: library,
    policy: `${local} local`,
    overAdmission:
      `${Math.max(0, most - MAX)} (most ${most} of ${MAX}); ` + `counted ${counted} of ${admitted}`,
    recovery,
  });
  await all("close");
  expect(await Promise.all(fleet.map((each) => each.ended()))).toEqual([0, 0, 0]);
  await server.stop();
  expect(whole.length).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(MAX);
  // Each process had its part, so that hardly anything was refused without need.
  expect(most).toBeGreaterThan(MAX / 2);
  expect(counted).toBe(admitted);
}

/** What the store counts when all reports have arrived. */
async function countedAtLast(
  server: RedisServer,
  prefix: string,
  long: { readonly max: number; readonly windowMs: number },
  expected: number,
): Promise<number> {
  const [kind] = singleClients.slice(-1) as [(typeof singleClients)[number]];
  const observer = openSubject({ connect: () => kind.make([server.port]), prefix });
  const limits = [fixedWindow({ ...long, anchor: "epoch" })];
  const question: Question = { descriptors: [{ kind: "fleet", id: "long", limits }] };
  let counted = Number.NaN;
  await pollUntil(
    async () => {
      counted = await usedIn(observer, question);
      return counted === expected;
    },
    { what: "all reports have arrived", timeoutMs: 5_000 },
  ).catch(() => undefined);
  return counted;
}

/** Policies do what their names say, and an outage is two events however many calls it fails. */
export async function policiesAreKept(table: FaultTable, choice: Choice): Promise<void> {
  const server = await startServer();
  const policies = ["admit", "reject", "local"] as const;
  const subjects = singleClients
    .filter(choice)
    .flatMap(({ name, make }) =>
      policies.map((policy) =>
        openSubject({ name: `${name} ${policy}`, connect: () => make([server.port]), policy }),
      ),
    );
  const befores = new Map<string, number>();
  const reports = await runOutage({
    subjects,
    begin: async () => {
      // The start counts as an outage of its own, which has to be over.
      const areQuiet = () =>
        subjects.every(
          (each) => countOf(each, "store_recovered") === countOf(each, "store_unavailable"),
        );
      await pollUntil(areQuiet, { what: "the start is over" });
      for (const { name, events } of subjects) befores.set(name, events.length);
      server.pause();
    },
    lastsMs: 1_500,
    end: () => server.resume(),
  });
  // A second without a failure ends an outage.
  await pause(1_300);
  for (const report of reports) {
    const { subject, observed } = report;
    const events = subject.events.slice(befores.get(subject.name));
    const of = (type: SluiceEvent["type"]) => events.filter((event) => event.type === type);
    const policy = subject.name.split(" ").at(-1);
    const during = report.during.filter(({ source }) => source !== "store");
    const used = await usedIn(subject, countedIn(TRAFFIC_ID));
    const localToo = observed.filter((each) => each.admitted && each.source === "local").length;
    const overAdmission = used - report.admittedByStore - localToo;
    table.add({ row: "F89", scenario: `policy ${policy}`, ...rowOf(report), overAdmission });
    expect(during.every(({ source }) => source === (policy === "local" ? "local" : "policy"))).toBe(
      true,
    );
    expect(during.every(({ admitted }) => admitted)).toBe(policy !== "reject");
    expect(of("store_unavailable").length).toBe(1);
    expect(of("store_recovered").length).toBe(1);
    // F92: every verdict that was not the store's is one call whose fate was reported.
    const unknown = observed.filter(({ source }) => source !== "store").length;
    const failed = subject.events.filter(
      (event) => event.type === "store_failed" && event.operation === "admit",
    ).length;
    table.add({
      row: "F92",
      scenario: `${failed} failures reported`,
      client: subject.name,
      policy: `${unknown} unknown`,
    });
    expect(failed).toBe(unknown);
    // F91: the probes of the breaker charged nothing.
    const scenario = "probes while it was open";
    table.add({ row: "F91", scenario, client: subject.name, overAdmission });
    expect(overAdmission).toBeGreaterThanOrEqual(0);
    expect(overAdmission).toBeLessThanOrEqual(report.unheard);
  }
  expect(lateOf(reports)).toEqual([]);
  await server.stop();
}
