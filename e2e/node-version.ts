import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runOrThrow } from "../tools/run-command";
import { root } from "../tools/workspace";

/** Lines of Node.js that the packages are for. */
export type NodeMajor = 20 | 22 | 24;

/** Beside the dependencies: deleting those deletes what was installed here too. */
const cache = join(root, "node_modules", ".cache", "sluice");

/**
 * The path of a Node.js of that line: the running one if it is, else the newest that npm has. That
 * is installed at the first call and kept for the next runs.
 *
 * @throws Error with npm's output if it cannot be installed.
 */
export async function nodeOfMajor(major: NodeMajor): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = join(cache, `node-${major}`);
  const path = join(folder, "node_modules", "node", "bin", "node");
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    await install(major, unfinished);
    move(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return path;
}

/** The package of that name fetches the program in an install script. */
async function install(major: NodeMajor, folder: string): Promise<void> {
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const options = ["--ignore-scripts=false", "--no-audit", "--no-fund"];
  await runOrThrow("npm", ["install", ...options, `node@${major}`], { cwd: folder });
  const program = join(folder, "node_modules", "node", "bin", "node");
  const version = await runOrThrow(program, ["--version"]);
  if (version.startsWith(`v${major}.`)) return;
  throw new Error(`expected Node.js ${major}, received ${version}`);
}

/** Another process may have installed the same meanwhile; then that one stays. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
