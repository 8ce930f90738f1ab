import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { acceptLimit } from "./simulate/accept";
import { limitNames, limitOf } from "./simulate/limits";
import { listScenarios, showScenario } from "./simulate/show";
import { adaptiveTable } from "./simulate/table";

const usage = `pnpm simulate --list
pnpm simulate <scenario | file.json> [--limit ours] [--seed 1] [--svg file.svg]
pnpm simulate table [--seeds 20] [--out docs/reference/adaptive-table.md]
pnpm simulate accept [--limit ours] [--only A,B] [--seeds 20] [--variants]

A limit is one of ${limitNames}, or a module (x.ts) that exports
limit(world), which returns an adaptive limit.`;

const options = {
  help: { type: "boolean", short: "h" },
  list: { type: "boolean" },
  limit: { type: "string", default: "ours" },
  seed: { type: "string", default: "1" },
  seeds: { type: "string", default: "20" },
  svg: { type: "string" },
  only: { type: "string" },
  out: { type: "string", default: "docs/reference/adaptive-table.md" },
  variants: { type: "boolean", default: false },
} as const;

function readArguments() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const counts = [values.seed, values.seeds].map(Number);
  const areCounts = counts.every((count) => Number.isSafeInteger(count) && count >= 1);
  if (!areCounts || positionals.length > 1) return undefined;
  const [seed = 1, seeds = 1] = counts;
  return { name: positionals[0], ...values, seed, seeds, only: values.only?.split(",") };
}

/** @returns 1 if ours is not accepted; the page is written all the same. */
function writeTable(path: string, seeds: number): number {
  const onProgress = (what: string) => process.stderr.write(`${what}\n`);
  const { text, isAccepted } = adaptiveTable({ seeds, onProgress });
  writeFileSync(path, text);
  return isAccepted ? 0 : 1;
}

async function main(): Promise<number> {
  const given = readArguments();
  if (given?.list === true) {
    listScenarios();
    return 0;
  }
  if (given?.help === true) {
    console.log(usage);
    return 0;
  }
  if (given?.name === undefined) {
    console.error(usage);
    return 2;
  }
  const { name, limit, seed, seeds, svg, only } = given;
  if (name === "accept") {
    const isMet = acceptLimit(await limitOf(limit), { only, seeds, isVaried: given.variants });
    return isMet ? 0 : 1;
  }
  if (name === "table") return writeTable(given.out, seeds);
  await showScenario(name, { limit, seed, svg });
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
