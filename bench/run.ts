import { parseArgs } from "node:util";
import { runGate } from "./gate/run-gate";
import { runHttp } from "./http/run-http";
import { memoryParts, runMemory } from "./memory/run-memory";
import { buildPrograms } from "./process/programs";
import { redisParts } from "./redis/cells";
import { runRedis } from "./redis/run-redis";
import { machineLines } from "./report/machine";

const usage = `pnpm bench memory [--only ${memoryParts.join(",")}]
pnpm bench http
pnpm bench gate
pnpm bench redis [--only ${redisParts.join(",")}] [--rounds 15] [--quick]`;

type Run = () => Promise<void>;

const options = {
  only: { type: "string" },
  rounds: { type: "string" },
  quick: { type: "boolean" },
} as const;

function readArguments(): Run | undefined {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const name = positionals.join(" ");
  if (name === "redis") return readRedisRun(values);
  if (values.rounds !== undefined || values.quick !== undefined) return undefined;
  const parts = values.only?.split(",") ?? memoryParts;
  const isKnown = parts.every((part) => memoryParts.includes(part));
  if (name === "memory" && isKnown) return () => runMemory(parts);
  if (name === "http" && values.only === undefined) return runHttp;
  if (name === "gate" && values.only === undefined) return runGate;
  return undefined;
}

interface RedisValues {
  readonly only?: string;
  readonly rounds?: string;
  readonly quick?: boolean;
}

function readRedisRun({ only, rounds, quick }: RedisValues): Run | undefined {
  const named = only?.split(",");
  const parts = redisParts.filter((part) => named?.includes(part) ?? true);
  const isKnown = named === undefined || parts.length === named.length;
  const count = rounds === undefined ? undefined : Number(rounds);
  const isCount = count === undefined || (Number.isSafeInteger(count) && count > 0);
  if (!isKnown || !isCount) return undefined;
  return () => runRedis({ parts, rounds: count, isQuick: quick === true });
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
