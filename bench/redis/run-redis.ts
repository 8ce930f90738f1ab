import { type RedisServer, startServer } from "../../tools/redis/redis-server";
import { headlineTable } from "../report/headline";
import { type PartName, partOf } from "./cells";
import { Comparison, type Pace, type Rounds } from "./comparison";
import type { SubjectName } from "./contender/contenders";
import { redisHeadlines } from "./redis-headlines";
import { cellTable } from "./redis-table";

/** What is measured, and how thoroughly. */
export interface RedisRun {
  readonly parts: readonly PartName[];
  readonly rounds: number | undefined;
  /** Only whether everything runs: figures mean nothing. */
  readonly isQuick: boolean;
}

const THOROUGH: Pace = { rounds: 15, roundMs: 100, warmUpMs: 400 };
const QUICK: Pace = { rounds: 1, roundMs: 10, warmUpMs: 10 };
const QUICK_KEYS = 100;

/** What a verdict on Redis costs, in time and on both sides, beside another limiter and less. */
export async function runRedis({ parts, rounds, isQuick }: RedisRun): Promise<void> {
  const chosen = isQuick ? QUICK : THOROUGH;
  const pace = { ...chosen, rounds: rounds ?? chosen.rounds };
  const server = await startServer();
  try {
    console.log(`${await versionOf(server)}, one connection per process, 127.0.0.1\n`);
    const comparison = await Comparison.start(server, subjectsOf(parts), pace);
    try {
      const measured = new Map<string, Rounds>();
      for (const part of parts) await measurePart(comparison, part, isQuick, measured);
      const headlines = redisHeadlines((part, inFlight) => measured.get(`${part} ${inFlight}`));
      console.log(headlineTable(headlines));
    } finally {
      await comparison.stop();
    }
  } finally {
    await server.stop();
  }
}

function subjectsOf(parts: readonly PartName[]): readonly SubjectName[] {
  return [...new Set(parts.flatMap((part) => partOf(part).subjects))];
}

async function measurePart(
  comparison: Comparison,
  name: PartName,
  isQuick: boolean,
  measured: Map<string, Rounds>,
): Promise<void> {
  const { limits, subjects, ...part } = partOf(name);
  const keys = isQuick ? Math.min(part.keys, QUICK_KEYS) : part.keys;
  await comparison.prepare({ subjects, limits, keys });
  for (const inFlight of part.inFlight) {
    const rounds = await comparison.measure(subjects, inFlight);
    measured.set(`${name} ${inFlight}`, rounds);
    console.log(cellTable({ keys, limits, inFlight }, rounds));
  }
}

async function versionOf(server: RedisServer): Promise<string> {
  const info = String(await server.command("INFO", "server"));
  return `redis-server ${/^redis_version:(\S+)/m.exec(info)?.[1]}`;
}
