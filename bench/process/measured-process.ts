import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { pinned } from "./pinning";
import { type ProgramName, programPath } from "./programs";

const ANSWER_TIMEOUT_MS = 300_000;

/** Room for millions of keys of the hungriest limiter. */
const NODE_OPTIONS = ["--max-old-space-size=8192", "--expose-gc"];

/**
 * One running program of the benchmark. It does something only while a question is pending, so that
 * of several of them one at a time uses a core.
 */
export class MeasuredProcess {
  readonly #child: ChildProcess;
  readonly #name: ProgramName;

  /** Starts the program with one argument, which it gets as JSON, on any core or on one only. */
  constructor(name: ProgramName, argument: unknown, core?: number) {
    this.#name = name;
    const { command, args } =
      core === undefined ? { command: process.execPath, args: [] } : pinned(core);
    this.#child = fork(programPath(name), [JSON.stringify(argument)], {
      execPath: command,
      execArgv: [...args, ...NODE_OPTIONS],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  /**
   * The program's next message, after it was sent `question` (none for the one at its start).
   *
   * @throws Error if it ends first, or says nothing for five minutes.
   */
  async answer<T>(question?: string | number | object): Promise<T> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), ANSWER_TIMEOUT_MS);
    const { signal } = abort;
    const message = once(this.#child, "message", { signal });
    const end = once(this.#child, "exit", { signal }).then(([code]) => {
      throw new Error(`The program ${this.#name} ended with code ${code}.`);
    });
    end.catch(() => {});
    if (question !== undefined) this.#child.send(question);
    try {
      const [value] = await Promise.race([message, end]);
      return value as T;
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  /** Ends the program. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}
