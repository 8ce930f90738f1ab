import { concurrency, type LimiterPermit, type Question } from "@sluice/core";
import { expect } from "vitest";
import { pollUntil } from "../../../../../tools/redis/poll-until";
import type { RedisServer } from "../../../../../tools/redis/redis-server";
import { type ClientKind, singleClients } from "../executor/clients";
import { pause } from "../executor/stage";
import type { Choice } from "./connectivity";
import type { FaultTable } from "./fault-table";
import { FleetProcess } from "./fleet-process";
import { freshPrefix, openSubject, type Subject } from "./subject";

const CAP = 10;
const CONTENDERS = 200;
const HOLD_MAX_MS = 40;

export function slotsOf(id: string, max: number, leaseMs = 30_000): Question {
  return { descriptors: [{ kind: "user", id, limits: [concurrency({ max, leaseMs })] }] };
}

/** Live leases under a prefix by the clock of the server; the member `#` is no lease. */
export async function liveLeases(server: RedisServer, prefix: string): Promise<number> {
  const script = `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local live = 0
    for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*~*')) do
      live = live + redis.call('ZCOUNT', key, '(' .. string.format('%.0f', now), '+inf')
      local mark = redis.call('ZSCORE', key, '#')
      if mark and tonumber(mark) > now then live = live - 1 end
    end
    return live`;
  return Number(await server.command("EVAL", script, 0, prefix));
}

/** Many want few slots, for a random time each. */
export async function contend(
  table: FaultTable,
  choice: Choice,
  server: RedisServer,
  lastsMs: number,
): Promise<void> {
  for (const { name, make } of singleClients.filter(choice)) {
    const subject = openSubject({ name, connect: () => make([server.port]), timeoutMs: 1_000 });
    const endMs = performance.now() + lastsMs;
    const counts = { held: 0, most: 0, admitted: 0, mostLive: 0 };
    const watch = async () => {
      while (performance.now() < endMs) {
        counts.mostLive = Math.max(counts.mostLive, await liveLeases(server, subject.prefix));
        await pause(5);
      }
    };
    const contenders = Array.from({ length: CONTENDERS }, () => hold(subject, endMs, counts));
    await Promise.all([watch(), ...contenders]);
    const left = await liveLeases(server, subject.prefix);
    table.add({
      row: "F74",
      scenario: `${CONTENDERS} want ${CAP} slots, ${counts.admitted} holds`,
      client: name,
      overAdmission: Math.max(0, counts.most - CAP, counts.mostLive - CAP),
      slotsBack: left === 0 ? "all" : `${left} left`,
    });
    expect(counts.admitted).toBeGreaterThanOrEqual(CAP);
    expect(counts.most).toBeLessThanOrEqual(CAP);
    expect(counts.mostLive).toBeLessThanOrEqual(CAP);
    expect(left).toBe(0);
  }
}

async function hold(
  { limiter }: Subject,
  endMs: number,
  counts: { held: number; most: number; admitted: number },
): Promise<void> {
  while (performance.now() < endMs) {
    const verdict = await limiter.admit(slotsOf("contended", CAP));
    if (verdict.admitted) {
      counts.admitted += 1;
      counts.held += 1;
      counts.most = Math.max(counts.most, counts.held);
      await pause(Math.random() * HOLD_MAX_MS);
      counts.held -= 1;
      await verdict.permit.release();
    }
    await pause(Math.random() * HOLD_MAX_MS);
  }
}

/** The first that is admitted: a client may still be connecting. */
export async function takeOne({ limiter }: Subject, question: Question): Promise<LimiterPermit> {
  for (let tries = 0; tries < 500; tries += 1) {
    const verdict = await limiter.admit(question);
    if (verdict.admitted) return verdict.permit;
    await pause(10);
  }
  throw new Error("expected a slot");
}

export const openOn = ({ name, make }: ClientKind, port: number): Subject =>
  openSubject({ name, connect: () => make([port]) });

/** A holder dies; within a lease its slots are free, without anybody's help. */
export async function holderCrashes(
  table: FaultTable,
  library: "ioredis" | "redis",
  server: RedisServer,
): Promise<void> {
  const prefix = freshPrefix();
  const ports = [server.port];
  const process = new FleetProcess({ library, ports, prefix, policy: "local", instances: 1 });
  const slots = { max: 5, leaseMs: 1_000 };
  await process.tell("slots", { count: 5, descriptors: [{ id: "crash", slots }] });
  // Longer than a lease: they have been renewed.
  await pause(1_200);
  expect(await liveLeases(server, prefix)).toBe(5);
  await process.kill();
  const startMs = performance.now();
  const isFree = async () => (await liveLeases(server, prefix)) === 0;
  await pollUntil(isFree, { what: "all slots are free", timeoutMs: 2_000 });
  const recovery = performance.now() - startMs;
  expect(recovery).toBeLessThan(slots.leaseMs + 500);
  const scenario = "holder crashed, lease 1 s";
  table.add({ row: "F75", scenario, client: library, slotsBack: "5 of 5", recovery });
}
