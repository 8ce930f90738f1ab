import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../run-command";
import { root } from "../workspace";
import { type Example, isTypeScript, modulePath } from "./example";

const exampleTimeoutMs = 60_000;

/** Runs the examples that are marked `run`, one after the other. */
export async function runExamples(examples: readonly Example[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const example of examples) {
    if (!isTypeScript(example) || !example.fence.info.includes("run")) continue;
    const problem = await runExample(example);
    if (problem !== undefined) problems.push(`${example.path}:${example.fence.line} ${problem}`);
  }
  return problems;
}

async function runExample(example: Example): Promise<string | undefined> {
  const file = join(root, modulePath(example));
  // The empty export makes it a module, also when it imports nothing.
  writeFileSync(file, `${example.fence.text}\nexport {};\n`);
  try {
    const env = { TSX_TSCONFIG_PATH: "tsconfig.json" };
    const ran = await runCommand(process.execPath, ["--import", "tsx", file], {
      env,
      timeoutMs: exampleTimeoutMs,
    });
    if (ran.code !== 0) return `ended with code ${ran.code}\n${ran.output}`;
    const { next } = example;
    if (!next?.info.includes("output") || ran.stdout.trim() === next.text.trim()) return undefined;
    return `printed\n${ran.stdout}\ninstead of what the block in line ${next.line} shows`;
  } finally {
    rmSync(file, { force: true });
  }
}
