import { fixedWindow, type Question } from "@sluice/core";
import { expect } from "vitest";
import { startFaultProxy } from "../../../../../tools/redis/fault-proxy";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type ClientKind, singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import { type Choice, withProxy } from "./connectivity";
import { proxiedClusterClients } from "./fault-clients";
import type { FaultTable } from "./fault-table";
import { lateOf, rowOf, runOutage } from "./outage-run";
import { countedIn, openSubject, type Subject, usedIn } from "./subject";
import { sourceOf } from "./traffic";

/** Longer than any client takes to send a call again. */
const SETTLED_MS = 400;

const one = countedIn("one");

/** Waits until the store has answered; what that charges is the first unit. */
async function connected(subject: Subject): Promise<void> {
  await pollUntil(async () => sourceOf(await subject.limiter.admit(one)) === "store", {
    what: `${subject.name} is connected`,
  });
}

/** One call whose reply is lost: at most one unit more, and the caller does not hear "admitted". */
async function expectChargedOnce(subject: Subject, lose: () => void, table: FaultTable) {
  await connected(subject);
  const before = await usedIn(subject, one);
  lose();
  const startMs = performance.now();
  const verdict = await subject.limiter.admit(one);
  const worstMs = performance.now() - startMs;
  await pause(SETTLED_MS);
  await connected(subject);
  const more = (await usedIn(subject, one)) - before - 1;
  table.add({
    row: "F6",
    scenario: "a reply is lost",
    client: subject.name,
    worstMs,
    policy: sourceOf(verdict),
    overAdmission: `+${more}`,
  });
  expect(sourceOf(verdict)).toBe("policy");
  expect(more).toBeLessThanOrEqual(1);
}

export function replyIsLost(table: FaultTable, choice: Choice): Promise<void> {
  return withProxy(async (proxy) => {
    for (const { name, make } of singleClients.filter(choice)) {
      const subject = openSubject({ name, connect: () => make([proxy.port]) });
      await expectChargedOnce(subject, () => void proxy.swallowReplies(1), table);
    }
  });
}

/** Every node behind a proxy of its own; whichever is asked loses the reply. */
export async function replyIsLostOnCluster(
  table: FaultTable,
  choice: Choice,
  ports: readonly number[],
): Promise<void> {
  const proxies = await Promise.all(ports.map((port) => startFaultProxy(port)));
  const nat = Object.fromEntries(
    ports.map((port, index) => [
      `127.0.0.1:${port}`,
      { host: "127.0.0.1", port: proxies[index]?.port ?? 0 },
    ]),
  );
  try {
    for (const { name, make } of proxiedClusterClients(nat).filter(choice)) {
      const connect = () => make(proxies.map(({ port }) => port));
      const subject = openSubject({ name: `${name} cluster`, connect });
      const lose = () => {
        for (const proxy of proxies) void proxy.swallowReplies(1);
      };
      await expectChargedOnce(subject, lose, table);
      await Promise.all(proxies.map((proxy) => proxy.forward()));
    }
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  }
}

const MAX = 150;

const bounded: Question = {
  descriptors: [
    { kind: "user", id: "churn", limits: [fixedWindow({ max: MAX, windowMs: 3_600_000 })] },
  ],
};

/** Connections break 50 times a second, and twice the server forgets the scripts. */
export function churn(table: FaultTable, choice: Choice, lastsMs: number): Promise<void> {
  return withProxy(async (proxy, server) => {
    const open = ({ name, make }: ClientKind) =>
      openSubject({ name, connect: () => make([proxy.port]) });
    let timer: NodeJS.Timeout | undefined;
    const reports = await runOutage({
      subjects: singleClients.filter(choice).map(open),
      question: bounded,
      begin: async () => {
        await server.command("SCRIPT", "FLUSH");
        timer = setInterval(() => proxy.resetAll(), 20);
      },
      lastsMs,
      end: async () => {
        clearInterval(timer);
        await server.command("SCRIPT", "FLUSH");
      },
    });
    for (const report of reports) {
      const used = await usedIn(report.subject, bounded);
      const row = { row: "F8", scenario: `50 resets/s for ${lastsMs / 1000} s` };
      table.add({ ...row, ...rowOf(report), overAdmission: Math.max(0, used - MAX) });
      const unknown = report.observed.filter(({ source }) => source === "policy").length;
      expect(used).toBeLessThanOrEqual(MAX);
      expect(used).toBeGreaterThanOrEqual(report.admittedByStore);
      expect(used - report.admittedByStore).toBeLessThanOrEqual(unknown);
    }
    expect(lateOf(reports)).toEqual([]);
  });
}
