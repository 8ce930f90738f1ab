import { parseArgs } from "node:util";
import { runHttp } from "./http/run-http";
import { memoryParts, runMemory } from "./memory/run-memory";
import { buildPrograms } from "./process/programs";
import { machineLines } from "./report/machine";

const usage = `pnpm bench memory [--only ${memoryParts.join(",")}]
pnpm bench http`;

interface Chosen {
  readonly run: () => Promise<void>;
}

function readArguments(): Chosen | undefined {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: "string" } },
  });
  const name = positionals.join(" ");
  const parts = values.only?.split(",") ?? memoryParts;
  const isKnown = parts.every((part) => memoryParts.includes(part));
  if (name === "memory" && isKnown) return { run: () => runMemory(parts) };
  if (name === "http" && values.only === undefined) return { run: runHttp };
  return undefined;
}

async function main(): Promise<number> {
  const chosen = readArguments();
  if (chosen === undefined) {
    console.error(usage);
    return 2;
  }
  console.log(`${machineLines(`pnpm bench ${process.argv.slice(2).join(" ")}`)}\n`);
  await buildPrograms();
  await chosen.run();
  return 0;
}

process.exitCode = await main();
