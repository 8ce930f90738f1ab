// Runs a command of the workspace on a machine that has only Node.js and npm. It brings what is
// missing first: the pinned pnpm (through npx), the locked dependencies, the built packages, and
// for the tests redis-server.
// Plain Node built-ins, and syntax that an old Node.js still parses, so that its message is seen.
//
//   node tools/bootstrap.mjs start|test|test:full|simulate|check|bench|build|install [arguments]

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findServerBinary, installServerBinary } from "./redis/server-binary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isWindows = process.platform === "win32";

/** Each command: what has to be there first, then what it runs. Its result is the exit code. */
const commands = {
  install: { before: [install], run: () => 0 },
  build: { before: [install, build], run: () => 0 },
  start: {
    before: [install, build],
    run: (args) => runTypeScript("examples/llm-gateway/main.ts", args),
  },
  bench: {
    before: [install, build, ([benchmark]) => benchmark === "redis" && redisServer()],
    run: (args) => runTypeScript("bench/run.ts", args),
  },
  // On the sources, so that a limit that is being written can be tried at once.
  simulate: {
    before: [install],
    run: (args) => runNode(["--import", "tsx", "tools/simulate.ts", ...args]),
  },
  // The gates that look at built packages build them, so that the others run on a broken tree too.
  check: { before: [install], run: (args) => runTypeScript("tools/check.ts", args) },
  test: {
    before: [install, build, redisServer],
    run: (args) => runNode(["node_modules/vitest/vitest.mjs", "run", ...args]),
  },
  // Only what `test` leaves out.
  "test:full": {
    before: [install, build, redisServer],
    run: (args) => {
      const project = ["--project", "faults-full"];
      const full = { SLUICE_TESTS: "full" };
      return runNode(["node_modules/vitest/vitest.mjs", "run", ...project, ...args], full);
    },
  },
};

/** `^20.19.0 || >=22.12.0`: one alternative per supported line of Node.js. */
function isSupported(version, range) {
  const order = (text) => text.split(".").reduce((sum, part) => sum * 1e4 + Number(part), 0);
  const major = (text) => Number(text.split(".")[0]);
  return range.split("||").some((alternative) => {
    const text = alternative.trim();
    const floor = text.replace(/^(\^|>=)/, "");
    const isSameLine = !text.startsWith("^") || major(version) === major(floor);
    return isSameLine && order(version) >= order(floor);
  });
}

function requireSupportedNode() {
  const range = manifest.engines.node;
  if (isSupported(process.versions.node, range)) return;
  const path = process.execPath;
  console.error(
    `This workspace needs Node.js ${range}; this is ${process.versions.node} (${path}).`,
  );
  process.exit(1);
}

/** Files of a package that its build reads; tests are not among them. */
function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith(".test.ts") ? [] : [path];
  });
}

function packageFolders() {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")));
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    const name = relative(root, path).split(sep).join("/");
    hash.update(`${name}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}

/** What the installed dependencies depend on. */
function installDigest() {
  const folders = ["packages", "examples"].flatMap((group) =>
    existsSync(join(root, group))
      ? readdirSync(join(root, group)).map((name) => join(root, group, name))
      : [],
  );
  const manifests = [root, join(root, "bench"), join(root, "e2e"), ...folders]
    .map((folder) => join(folder, "package.json"))
    .filter((path) => existsSync(path));
  const locked = ["pnpm-lock.yaml", "pnpm-workspace.yaml"].map((name) => join(root, name));
  return digest([...locked, ...manifests]);
}

/** What the built packages depend on. */
function buildDigest() {
  const shared = ["pnpm-lock.yaml", "tsconfig.base.json", "tools/tsup.ts"];
  const own = packageFolders().flatMap((folder) => [
    ...sourceFiles(join(folder, "src")),
    ...["package.json", "tsconfig.json", "tsup.config.ts"].map((name) => join(folder, name)),
  ]);
  return digest([...shared.map((name) => join(root, name)), ...own]);
}

/** Stamps live beside what they vouch for, so that deleting node_modules deletes them too. */
function stampPath(name) {
  return join(root, "node_modules", ".cache", "sluice", `${name}.stamp`);
}

function isFresh(name, key) {
  return existsSync(stampPath(name)) && readFileSync(stampPath(name), "utf8") === key;
}

function stamp(name, key) {
  mkdirSync(join(root, "node_modules", ".cache", "sluice"), { recursive: true });
  writeFileSync(stampPath(name), key);
}

/** Runs a step whose output matters only if it fails. */
async function quietly(title, run) {
  const startedAt = Date.now();
  process.stderr.write(`${title} ... `);
  const { code, output } = await run();
  if (code !== 0) {
    process.stderr.write(`failed\n\n${output}\n`);
    process.exit(code);
  }
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function pnpm(args) {
  const { packageManager } = manifest;
  // CI tells pnpm that there is nobody to answer a question.
  return collect("npx", ["--yes", packageManager, ...args], { ...process.env, CI: "true" });
}

function collect(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      shell: isWindows,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

async function install() {
  const key = installDigest();
  if (isFresh("install", key)) return;
  rmSync(stampPath("install"), { force: true });
  await quietly(`Installing dependencies with ${manifest.packageManager}`, () =>
    pnpm(["install", "--frozen-lockfile", "--reporter=append-only"]),
  );
  stamp("install", key);
}

async function build() {
  const key = buildDigest();
  const isBuilt = packageFolders().every((folder) => existsSync(join(folder, "dist")));
  if (isBuilt && isFresh("build", key)) return;
  rmSync(stampPath("build"), { force: true });
  await quietly("Building the packages", () =>
    pnpm(["--recursive", "--filter", "./packages/*", "run", "build"]),
  );
  stamp("build", key);
}

/** The tests, and a benchmark, start Redis servers of their own. */
async function redisServer() {
  try {
    if (findServerBinary() !== undefined) return;
    await quietly("Installing redis-server", async () => {
      installServerBinary();
      return { code: 0, output: "" };
    });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Runs a TypeScript file. It meets the packages as their users do, by name and built: the
 * configuration that maps the names to sources is left out, also for processes it starts.
 */
function runTypeScript(path, args) {
  return runNode(["--import", "tsx", path, ...args], { TSX_TSCONFIG_PATH: "tsconfig.base.json" });
}

function runNode(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: "inherit",
    });
    // A terminal sends Ctrl-C to the child as well; whoever signals this process alone does not.
    process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on("close", (code, signal) =>
      resolve(signal === null ? code : 128 + constants.signals[signal]),
    );
  });
}

async function main([name = "", ...args]) {
  requireSupportedNode();
  if (!Object.hasOwn(commands, name)) {
    console.error(`Usage: node tools/bootstrap.mjs ${Object.keys(commands).join("|")} [arguments]`);
    process.exit(2);
  }
  for (const prepare of commands[name].before) await prepare(args);
  process.exitCode = await commands[name].run(args);
}

await main(process.argv.slice(2));
