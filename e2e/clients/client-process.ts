import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Call, CallReport, ClientLine } from "./call";

const program = fileURLToPath(new URL("program.ts", import.meta.url));

/** A process in which real clients of one line make calls, on a Node.js of its own. */
export class ClientProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (report: CallReport) => void>();
  #calls = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", ({ id, report }: { id: number; report: CallReport }) => {
      this.#waiting.get(id)?.(report);
      this.#waiting.delete(id);
    });
  }

  /** @throws Error if the program ends before its clients are loaded. */
  static async start(node: string, line: ClientLine): Promise<ClientProcess> {
    const child = fork(program, [line], { execPath: node, execArgv: ["--import", "tsx"] });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`The ${line} clients ended with code ${code}.`);
    });
    ended.catch(() => {});
    await Promise.race([once(child, "message"), ended]);
    return new ClientProcess(child);
  }

  /** Makes one call; several may be under way. */
  call(call: Call): Promise<CallReport> {
    const id = this.#calls;
    this.#calls += 1;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, call });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
