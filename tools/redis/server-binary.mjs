// Finds redis-server, or installs it where that can be done without asking anybody. Plain Node.js,
// because the bootstrap calls it on machines that have nothing else.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const OLDEST_MAJOR = 7;
const INSTALL_TIMEOUT_MS = 300_000;

/** Debian asks this file before it starts a service; 101 means no. */
const POLICY_FILE = "/usr/sbin/policy-rc.d";
const SYSTEMD_FOLDER = "/run/systemd/system";

const WANTED =
  `expected redis-server ${OLDEST_MAJOR}.0 or newer on the PATH, ` +
  "or its path in the environment variable REDIS_SERVER";

/** The path of redis-server, or undefined where there is none. Throws if it is not usable. */
export function findServerBinary(env = process.env) {
  const named = env.REDIS_SERVER ?? "";
  const path = named === "" ? onPath("redis-server", env.PATH ?? "") : named;
  if (path === undefined) return undefined;
  const { error, stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  const [, version = "", major = ""] = /\bv=((\d+)\.\S+)/.exec(stdout ?? "") ?? [];
  if (Number(major) >= OLDEST_MAJOR) return path;
  const received = error?.message ?? (version === "" ? "another program" : `version ${version}`);
  throw new Error(`${WANTED}; received ${path}: ${received}`);
}

/** Brings redis-server with apt, started neither now nor at the next boot. Throws if it cannot. */
export function installServerBinary() {
  const isRoot = process.getuid?.() === 0;
  const apt = onPath("apt-get", process.env.PATH ?? "");
  if (apt === undefined || !isRoot) {
    const why = apt === undefined ? "there is no apt-get" : "this user is not root";
    throw new Error(
      `${WANTED}; received none, and it cannot be installed here, because ${why}. Install it ` +
        "(Debian: apt-get install redis-server; macOS: brew install redis) and try again.",
    );
  }
  const output = withoutServices(() =>
    ["update", "install -y --no-install-recommends redis-server"].map((command) =>
      run(apt, command.split(" ")),
    ),
  ).join("");
  if (findServerBinary() === undefined) {
    throw new Error(`${WANTED}; received none, also after apt-get was run:\n${output}`);
  }
}

/** Runs something while Debian may not start services. */
function withoutServices(action) {
  const isOurs = !existsSync(POLICY_FILE);
  if (isOurs) writeFileSync(POLICY_FILE, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    return action();
  } finally {
    if (isOurs) rmSync(POLICY_FILE, { force: true });
    if (existsSync(SYSTEMD_FOLDER)) run("systemctl", ["disable", "--now", "redis-server.service"]);
  }
}

function run(command, args) {
  const { stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: INSTALL_TIMEOUT_MS,
  });
  return `${stdout ?? ""}${stderr ?? ""}${error === undefined ? "" : `${error.message}\n`}`;
}

function onPath(name, path) {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
