import { changesetsGate } from "./gates/changesets";
import { docsGate } from "./gates/docs";
import { type Gate, toolGate } from "./gates/gate";
import { generatedGate } from "./gates/generated";
import { packageShapeGate } from "./gates/package-shape";

const directionArgs = [
  "--config",
  "tools/dependency-cruiser.config.mjs",
  "--output-type",
  "err-long",
];
const cruisedFolders = ["packages", "examples", "bench", "e2e", "tools"];

const gates: readonly Gate[] = [
  toolGate("lint", "format and lint, zero warnings", "biome", ["check", "--error-on-warnings"]),
  toolGate("types", "strict TypeScript", "tsc", ["-p", "tsconfig.json", "--noEmit"]),
  toolGate("unused", "no unused file, export or dependency", "knip", ["--no-progress"]),
  toolGate("direction", "imports follow the layers, no cycles", "depcruise", [
    ...directionArgs,
    ...cruisedFolders,
  ]),
  generatedGate,
  docsGate,
  changesetsGate,
  packageShapeGate,
];

/** Runs one gate and prints how it went. */
async function runGate({ name, title, run }: Gate): Promise<boolean> {
  const startedAt = performance.now();
  const problems = await run().catch((error: unknown) => [String(error)]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const mark = problems.length === 0 ? "pass" : "FAIL";
  console.log(`${mark}  ${name.padEnd(10)} ${title} (${seconds} s)`);
  for (const problem of problems)
    console.log(`      ${problem.trim().replaceAll("\n", "\n      ")}`);
  return problems.length === 0;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--list")) {
    console.log(gates.map(({ name }) => name).join("\n"));
    return 0;
  }
  const unknown = args.filter((arg) => !gates.some(({ name }) => name === arg));
  if (unknown.length > 0) {
    const known = gates.map(({ name }) => name).join(", ");
    console.error(`No such gate: ${unknown.join(", ")}. There are: ${known}.`);
    return 2;
  }
  const asked = gates.filter(({ name }) => args.length === 0 || args.includes(name));
  let failed = 0;
  for (const gate of asked) {
    if (!(await runGate(gate))) failed += 1;
  }
  if (asked.length > 1) console.log(`${asked.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
