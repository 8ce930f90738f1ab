import { concurrency, type Question } from "@sluice/core";
import { expect } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import { type RedisServer, startServer } from "../../../../../tools/redis/redis-server";
import { singleClients } from "../executor/clients";
import type { Choice } from "./connectivity";
import { DECIDED_WITHIN_MS, type FaultTable } from "./fault-table";
import { FleetProcess } from "./fleet-process";
import { countedIn, freshPrefix, openSubject } from "./subject";
import { sourceOf, Traffic } from "./traffic";

const SLOTS = 20;

const slots: Question = {
  descriptors: [{ kind: "user", id: "held", limits: [concurrency({ max: SLOTS })] }],
};

async function callsOf(server: RedisServer): Promise<number> {
  const info = String(await server.command("INFO", "commandstats"));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
}

/** Slots given back together share a call, and a store that is closed answers its calls. */
export async function closesWithCallsUnderWay(table: FaultTable, choice: Choice): Promise<void> {
  const server = await startServer();
  for (const { name, make } of singleClients.filter(choice)) {
    const { limiter, store } = openSubject({ name, connect: () => make([server.port]) });
    const traffic = new Traffic(limiter, () => countedIn("closing"), 2);
    await traffic.until("the store answers", ({ source }) => source === "store", 5_000);
    const verdicts = await Promise.all(Array.from({ length: SLOTS }, () => limiter.admit(slots)));
    const permits = verdicts.flatMap((verdict) => (verdict.admitted ? [verdict.permit] : []));
    expect(permits.length).toBe(SLOTS);
    server.pause();
    await traffic.until("a call is not answered", ({ source }) => source !== "store", 5_000);
    server.resume();
    await traffic.until("the store is back", ({ source }) => source === "store", 5_000);
    server.pause();
    const closing = [limiter.close(), store.close()];
    const observed = await traffic.stop();
    await Promise.all(closing);
    server.resume();
    const worstMs = Math.max(...observed.map((each) => traffic.durationMs(each)));
    table.add({ row: "F12", scenario: "closed with calls in flight", client: name, worstMs });
    expect(worstMs).toBeLessThanOrEqual(DECIDED_WITHIN_MS);
  }
  await server.stop();
}

export async function slotsComeBackTogether(table: FaultTable, choice: Choice): Promise<void> {
  const server = await startServer();
  for (const { name, make } of singleClients.filter(choice)) {
    const { limiter } = openSubject({ name, connect: () => make([server.port]) });
    const first = () => limiter.peek(slots).then(({ statuses }) => statuses[0]?.source);
    await pollUntil(async () => (await first()) === "store", { what: "the store answers" });
    const verdicts = await Promise.all(Array.from({ length: SLOTS }, () => limiter.admit(slots)));
    const before = await callsOf(server);
    await Promise.all(verdicts.map((each) => (each.admitted ? each.permit.release() : undefined)));
    const calls = (await callsOf(server)) - before;
    const { statuses } = await limiter.peek(slots);
    const slotsBack = `${SLOTS - (statuses[0]?.used ?? 0)} of ${SLOTS} in ${calls} call(s)`;
    table.add({ row: "F12", scenario: "slots released at once", client: name, slotsBack });
    expect(verdicts.map(sourceOf)).toEqual(verdicts.map(() => "store"));
    expect(calls).toBe(1);
    expect(statuses[0]?.used).toBe(0);
  }
  await server.stop();
}

/** Nothing of a closed store keeps a process alive, also if the server does not answer. */
export async function processEnds(table: FaultTable, library: "ioredis" | "redis"): Promise<void> {
  const server = await startServer();
  const ports = [server.port];
  const fleet = { library, ports, prefix: freshPrefix(), policy: "local", instances: 1 } as const;
  const process = new FleetProcess(fleet);
  const max = { max: 5, leaseMs: 5_000 };
  await process.tell("slots", { count: 5, descriptors: [{ id: "slots", slots: max }] });
  server.pause();
  await process.tell("close");
  const startMs = performance.now();
  expect(await process.ended()).toBe(0);
  const recovery = `process ended after ${Math.round(performance.now() - startMs)} ms`;
  table.add({ row: "F12", scenario: "closed in an outage", client: library, recovery });
  await server.stop();
}
