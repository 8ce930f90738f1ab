import { concurrency, fixedWindow, type Question } from "@sluice/core";
import { expect } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { expectRejected } from "../../verdicts";
import type { ClientKind } from "../executor/clients";
import { pause } from "../executor/stage";
import type { FaultTable } from "./fault-table";
import { FleetProcess } from "./fleet-process";
import { freshPrefix, openSubject, type Subject, usedIn } from "./subject";

const HOUR_MS = 3_600_000;
const limitsOf = (max: number) => [fixedWindow({ max, windowMs: HOUR_MS, anchor: "epoch" })];
const oneOf = (id: string, max: number): Question => {
  return { descriptors: [{ kind: "fleet", id, limits: limitsOf(max) }] };
};

function open(kind: ClientKind, ports: readonly number[], prefix = freshPrefix()): Subject {
  const connect = () => kind.make(ports);
  return openSubject({ name: kind.name, connect, prefix, timeoutMs: 2_000 });
}

const usedWhenThere = (subject: Subject, question: Question) =>
  pollUntil(async () => ({ used: await usedIn(subject, question) }), { what: "it answers" });

/** What a second part refuses, the first part gets back. */
export async function secondPartRefuses(
  table: FaultTable,
  kind: ClientKind,
  ports: readonly number[],
): Promise<void> {
  const subject = open(kind, ports);
  const [narrow, wide] = [oneOf("narrow", 1_000), oneOf("wide", 20)];
  const both = { descriptors: [...narrow.descriptors, ...wide.descriptors] };
  const slots = { kind: "fleet", id: "slots", limits: [concurrency({ max: 0 })] };
  await usedWhenThere(subject, narrow);
  await usedWhenThere(subject, wide);
  const verdicts = await Promise.all(
    Array.from({ length: 100 }, () => subject.limiter.admit(both)),
  );
  const admitted = verdicts.filter((verdict) => verdict.admitted).length;
  expect(admitted).toBe(20);
  const isUndone = async () => (await usedIn(subject, narrow)) === admitted;
  await pollUntil(isUndone, { what: "the first part is taken back" });
  expect(await usedIn(subject, wide)).toBe(20);
  const withSlots = { descriptors: [...narrow.descriptors, slots] };
  expectRejected(await subject.limiter.admit(withSlots));
  await pollUntil(isUndone, { what: "the window is taken back" });
  table.add({
    row: "F61",
    scenario: "second part refuses 80 of 100",
    client: kind.name,
    overAdmission: 0,
  });
}

/** Three processes die, each between two parts of several questions. */
export async function diesBetweenParts(
  table: FaultTable,
  kind: ClientKind,
  ports: readonly number[],
): Promise<void> {
  const prefix = freshPrefix();
  const subject = open(kind, ports, prefix);
  const library = kind.name.startsWith("ioredis") ? "ioredis" : "redis";
  const window = { max: 1_000_000, windowMs: HOUR_MS };
  const descriptors = [
    { id: "own", window },
    { id: "shared", window },
  ];
  const [own, shared] = [oneOf("own", window.max), oneOf("shared", window.max)];
  const start = { library, ports, prefix, policy: "reject", instances: 1 } as const;
  const processes = [1, 2, 3].map(() => new FleetProcess(start));
  for (const process of processes) await process.tell("busy", { descriptors });
  const isBusy = async () => (await usedIn(subject, shared)) > 20;
  await pollUntil(isBusy, { what: "they are busy" });
  for (const process of processes) {
    await pause(50 * Math.random());
    await process.kill();
  }
  // What was on its way arrives.
  await pause(200);
  const { used: charged } = await usedWhenThere(subject, own);
  const { used: wide } = await usedWhenThere(subject, shared);
  expect(wide).toBeLessThanOrEqual(charged);
  // Four questions were under way in each process.
  expect(charged - wide).toBeLessThanOrEqual(processes.length * 4);
  table.add({
    row: "F62",
    scenario: `3 crashes in ${charged} questions`,
    client: kind.name,
    overAdmission: `0 wide, ${charged - wide} narrow until the window ends`,
  });
}
