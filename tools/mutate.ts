import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, textWith } from "./mutation/mutant";
import { mutantsOf } from "./mutation/mutants-of";
import { bundleTests, type Replacement } from "./mutation/test-bundle";
import { runCommand } from "./run-command";
import { readText, trackedFiles } from "./workspace";

// Puts one mistake after the other into a file of the engine and tells which of them no test finds:
//   pnpm mutate --file packages/core/src/engine/rules/fixed-window.ts
//   pnpm mutate --random 42      (a file drawn by this seed)
// The work tree is only read: each mutant lives in a program in a temporary folder.

const MUTATED = /^packages\/core\/src\/engine\/.*(?<!\.test)\.ts$/;

/** What judges a mutant, the quickest to find something first. */
const JUDGES = [
  /^packages\/core\/(src|test)\/(engine|store)\/.*\.test\.ts$/,
  /^packages\/core\/test\/[^/]+\.model\.test\.ts$/,
  /^packages\/core\/test\/laws\/.*\.test\.ts$/,
];

/** Passes over the tests: seldom at first, since most mutants die at once, and then thoroughly. */
const PASSES = [
  { runsScale: 0.05, seed: 1 },
  { runsScale: 0.5, seed: 2 },
];

interface Pass {
  readonly runsScale: number;
  readonly seed: number;
}

interface Outcome {
  readonly isKilled: boolean;
  /** The first test that failed, or why else the mutant counts as found. */
  readonly by: string;
}

/** No mutant may take longer than a few times what the tests take without a mistake. */
const TIMEOUT_RATIO = 4;
const TIMEOUT_FLOOR_MS = 5_000;

const folder = mkdtempSync(join(tmpdir(), "sluice-mutation-"));

try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== "--"),
    options: { file: { type: "string" }, random: { type: "string" } },
  });
  const path = values.file ?? drawn(Number(values.random ?? "1"));
  const text = readText(path);
  const mutants = mutantsOf(path, text);
  console.log(`${path}: ${mutants.length} mutants`);
  const timeoutsMs = await timeWithoutMistake();
  const survivors: Mutant[] = [];
  for (const mutant of mutants) {
    const { isKilled, by } = await judge({ path, text: textWith(text, mutant) }, timeoutsMs);
    if (!isKilled) survivors.push(mutant);
    console.log(`${isKilled ? "killed  " : "SURVIVED"} ${described(mutant)}${by && ` | ${by}`}`);
  }
  console.log(`\n${mutants.length - survivors.length} of ${mutants.length} killed`);
  for (const mutant of survivors) console.log(`survived ${path}:${described(mutant)}`);
  return survivors.length === 0 ? 0 : 1;
}

/** One file of those that have anything to mutate, the same one for the same seed. */
function drawn(seed: number): string {
  const files = trackedFiles().filter((path) => MUTATED.test(path));
  const worthy = files.filter((path) => mutantsOf(path, readText(path)).length > 0).sort();
  // A multiplicative hash: neighbouring seeds draw files that are not neighbours.
  const position = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return worthy[position % worthy.length] ?? "";
}

/** The time-out of each pass, from how long it takes on the tree as it is. */
async function timeWithoutMistake(): Promise<readonly number[]> {
  const timeoutsMs: number[] = [];
  for (const pass of PASSES) {
    const startMs = performance.now();
    const outcome = await run(pass, undefined, undefined);
    if (outcome.isKilled) throw new Error(`the tests fail without a mistake: ${outcome.by}`);
    const tookMs = performance.now() - startMs;
    console.log(`without a mistake: ${Math.round(tookMs)} ms at ${pass.runsScale} of the runs`);
    timeoutsMs.push(Math.ceil(TIMEOUT_FLOOR_MS + TIMEOUT_RATIO * tookMs));
  }
  return timeoutsMs;
}

async function judge(mistake: Replacement, timeoutsMs: readonly number[]): Promise<Outcome> {
  for (const [index, pass] of PASSES.entries()) {
    const outcome = await run(pass, mistake, timeoutsMs[index]);
    if (outcome.isKilled) return outcome;
  }
  return { isKilled: false, by: "" };
}

async function run(
  { runsScale, seed }: Pass,
  replacement: Replacement | undefined,
  timeoutMs: number | undefined,
): Promise<Outcome> {
  const outfile = join(folder, "tests.mjs");
  const tests = JUDGES.flatMap((judge) =>
    trackedFiles()
      .filter((path) => judge.test(path))
      .sort(),
  );
  await bundleTests({ tests, seed, outfile, ...(replacement && { replacement }) });
  const { code, stdout, output } = await runCommand(process.execPath, [outfile], {
    env: { PROPERTY_RUNS_SCALE: String(runsScale) },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const by = stdout || output.trim().split("\n").at(-1) || "time-out";
  return { isKilled: code !== 0, by: by.slice(0, 150) };
}

function described({ line, column, kind, before, after }: Mutant): string {
  const short = (text: string) => text.replace(/\s+/g, " ").slice(0, 60);
  return `${line}:${column} ${kind}: ${short(before)} -> ${short(after)}`;
}
