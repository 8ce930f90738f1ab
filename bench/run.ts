import { parseArgs } from "node:util";
import { runGate } from "./gate/run-gate";
import { runHttp } from "./http/run-http";
import { frameworks } from "./http/server-name";
import { memoryParts, runMemory } from "./memory/run-memory";
import { buildPrograms } from "./process/programs";
import { redisParts } from "./redis/cells";
import { runRedis } from "./redis/run-redis";
import { machineLines } from "./report/machine";

const usage = `pnpm bench memory [--only ${memoryParts.join(",")}]
pnpm bench http [--only ${frameworks.join(",")}] [--rounds 21]
pnpm bench gate
pnpm bench redis [--only ${redisParts.join(",")}] [--rounds 15] [--quick]`;

type Run = () => Promise<void>;

const options = {
  only: { type: "string" },
  rounds: { type: "string" },
  quick: { type: "boolean" },
} as const;

interface Values {
  readonly only?: string;
  readonly rounds?: string;
  readonly quick?: boolean;
}

function readArguments(): Run | undefined {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  switch (positionals.join(" ")) {
    case "memory":
      return readMemoryRun(values);
    case "http":
      return readHttpRun(values);
    case "gate":
      return Object.keys(values).length === 0 ? runGate : undefined;
    case "redis":
      return readRedisRun(values);
    default:
      return undefined;
  }
}

function readMemoryRun({ only, rounds, quick }: Values): Run | undefined {
  const parts = readParts(memoryParts, only);
  if (parts === undefined || rounds !== undefined || quick !== undefined) return undefined;
  return () => runMemory(parts);
}

function readHttpRun({ only, rounds, quick }: Values): Run | undefined {
  const parts = readParts(frameworks, only);
  const count = readCount(rounds);
  if (parts === undefined || count === null || quick !== undefined) return undefined;
  return () => runHttp({ frameworks: parts, rounds: count });
}

function readRedisRun({ only, rounds, quick }: Values): Run | undefined {
  const parts = readParts(redisParts, only);
  const count = readCount(rounds);
  if (parts === undefined || count === null) return undefined;
  return () => runRedis({ parts, rounds: count, isQuick: quick === true });
}

/** All parts, or those named; undefined if one of these is unknown. */
function readParts<Part extends string>(
  all: readonly Part[],
  only: string | undefined,
): readonly Part[] | undefined {
  const named = only?.split(",");
  const parts = all.filter((part) => named?.includes(part) ?? true);
  return named === undefined || parts.length === named.length ? parts : undefined;
}

/** Undefined if none was given, null if it is none. */
function readCount(text: string | undefined): number | undefined | null {
  if (text === undefined) return undefined;
  const count = Number(text);
  return Number.isSafeInteger(count) && count > 0 ? count : null;
}

async function main(): Promise<number> {
  const run = readArguments();
  if (run === undefined) {
    console.error(usage);
    return 2;
  }
  console.log(`${machineLines(`pnpm bench ${process.argv.slice(2).join(" ")}`)}\n`);
  await buildPrograms();
  await run();
  return 0;
}

process.exitCode = await main();
