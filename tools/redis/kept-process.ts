import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";

const KEEPER = fileURLToPath(new URL("keeper.sh", import.meta.url));

interface Keeper {
  readonly input: Writable;
  readonly folder: string;
}

let theKeeper: Keeper | undefined;

/**
 * Started with the first process that needs it. It has a session of its own, so that no signal to
 * our process group ends it before us.
 */
function keeper(): Keeper {
  if (theKeeper !== undefined) return theKeeper;
  const folder = mkdtempSync(join(tmpdir(), "sluice-redis-"));
  const child = spawn("sh", [KEEPER, folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  (child.stdin as Socket).unref();
  // If somebody ends the keeper, the servers still run.
  child.stdin.on("error", () => undefined);
  theKeeper = { input: child.stdin, folder };
  return theKeeper;
}

/** A new empty folder, which is removed when this process has ended, however it ends. */
export function keptFolder(): string {
  return mkdtempSync(join(keeper().folder, "server-"));
}

export interface KeptProcessOptions {
  readonly cwd: string;
  /** Gets what the program prints, after what is there. */
  readonly logPath: string;
}

/**
 * Starts a program that ends with this process, however this one ends. It does not keep this
 * process alive.
 *
 * @throws Error if the program cannot be started.
 */
export function startKeptProcess(
  command: string,
  args: readonly string[],
  { cwd, logPath }: KeptProcessOptions,
): ChildProcess & { readonly pid: number } {
  const { input } = keeper();
  const log = openSync(logPath, "a");
  const child = spawn(command, args, { cwd, stdio: ["ignore", log, log] });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`expected to start ${command}, received no process`);
  input.write(`keep ${pid}\n`);
  child.once("exit", () => input.write(`drop ${pid}\n`));
  child.unref();
  return Object.assign(child, { pid });
}
