import { existsSync } from "node:fs";
import { join } from "node:path";
import { type EntryPoint, readApi } from "../generated/api-listing";
import { generatedFiles } from "../generated/files";
import { runCommand } from "../run-command";
import { readManifest, readText, root } from "../workspace";
import type { Gate } from "./gate";

/** Generated files are what their sources make today, and so is the lock file. */
export const generatedGate: Gate = {
  name: "generated",
  title: "generated files and the lock file are up to date",
  async run() {
    const api = readApi();
    return [...staleFiles(api), ...undocumentedExports(api), ...(await lockFileProblems())];
  },
};

function staleFiles(api: readonly EntryPoint[]): readonly string[] {
  return generatedFiles(api)
    .filter(({ path, content }) => !existsSync(join(root, path)) || readText(path) !== content)
    .map(({ path }) => `${path} is stale: run \`npm run generate\``);
}

function undocumentedExports(api: readonly EntryPoint[]): readonly string[] {
  return api.flatMap(({ specifier, entries }) =>
    entries
      .filter(({ sentence }) => sentence === "")
      .map(({ name }) => `${name} of ${specifier} has no doc comment`),
  );
}

async function lockFileProblems(): Promise<readonly string[]> {
  const { packageManager = "pnpm" } = readManifest(".");
  const install = ["install", "--lockfile-only", "--frozen-lockfile", "--offline"];
  const { code, output } = await runCommand("npx", ["--yes", packageManager, ...install], {
    env: { CI: "true" },
  });
  return code === 0 ? [] : [output];
}
