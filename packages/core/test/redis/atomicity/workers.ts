import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { root } from "../../../../../tools/workspace";
import type { Answer, Order, WorkerSettings } from "./orders";

const SOURCE = fileURLToPath(new URL("worker.ts", import.meta.url));

const requireForBundledCommonJs =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** Made once: a process starts in a tenth of the time that it takes to compile what it runs. */
let program: Promise<string> | undefined;

async function bundled(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-worker-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [SOURCE],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: requireForBundledCommonJs },
    outfile,
  });
  return outfile;
}

/** A started process of the atomicity tests. */
export class WorkerProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when its store answers. It ends with this process. */
  static async start(settings: WorkerSettings): Promise<WorkerProcess> {
    program ??= bundled();
    const child = fork(await program, [JSON.stringify(settings)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const worker = new WorkerProcess(child);
    await worker.#answer();
    return worker;
  }

  async ask<A extends Answer>(order: Order): Promise<A> {
    this.#child.send(order);
    return (await this.#answer()) as A;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  /** @throws Error if it ends before it says something. */
  async #answer(): Promise<unknown> {
    const abort = new AbortController();
    const { signal } = abort;
    const end = once(this.#child, "exit", { signal }).then(([code, by]) => {
      throw new Error(`a process ended with ${code ?? by}`);
    });
    end.catch(() => {});
    try {
      const [message] = await Promise.race([once(this.#child, "message", { signal }), end]);
      return message;
    } finally {
      abort.abort();
    }
  }
}

/** Several processes on the same keys, each with a client of its own. */
export function startWorkers(
  count: number,
  settings: Omit<WorkerSettings, "seed">,
): Promise<readonly WorkerProcess[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      WorkerProcess.start({ ...settings, seed: index + 1 }),
    ),
  );
}
