import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 2_000;

/** A started process and the first message that it sent. */
export interface Started<Message> {
  readonly child: ChildProcess;
  readonly message: Message;
}

/** The processes that this one started. Whatever way this process ends, they end with it. */
export class Children {
  readonly #live = new Set<ChildProcess>();

  constructor() {
    process.once("exit", () => {
      for (const child of this.#live) child.kill("SIGKILL");
    });
  }

  /**
   * Starts a TypeScript file as a process of its own and waits for its first message.
   *
   * @throws Error if it ends, or says nothing for 60 seconds.
   */
  async start<Message>(file: URL, args: readonly string[] = []): Promise<Started<Message>> {
    const path = fileURLToPath(file);
    const child = fork(path, args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      // A session of its own: Ctrl-C reaches this process only, which ends the others in order, and
      // a scheduler that shares the processor between sessions gives each process its own share.
      detached: process.platform !== "win32",
    });
    this.#live.add(child);
    child.once("exit", () => this.#live.delete(child));
    const message = await firstMessage<Message>(child, path);
    return { child, message };
  }

  /** Asks one process to end, and makes it end if it has not after 2 seconds. */
  async stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(force);
  }

  /** Ends one process as a crash does. */
  async kill(child: ChildProcess): Promise<void> {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** How many of them run. */
  get count(): number {
    return this.#live.size;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#live].map((child) => this.stop(child)));
  }
}

function firstMessage<Message>(child: ChildProcess, path: string): Promise<Message> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${path} ${why}`));
    const timer = setTimeout(() => fail("did not start in time"), START_TIMEOUT_MS);
    child.once("message", (message) => resolve(message as Message));
    child.once("exit", (code, signal) => fail(`ended at its start (${signal ?? code})`));
    child.once("message", () => clearTimeout(timer));
    child.once("exit", () => clearTimeout(timer));
  });
}
