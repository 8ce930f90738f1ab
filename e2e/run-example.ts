import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { root } from "../tools/workspace";

/** An example that was started as its README says, on a free port. */
export class RunningExample {
  /** What it has printed after its address. */
  readonly printed: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #url: string;

  private constructor(child: ChildProcessWithoutNullStreams, lines: Interface, url: string) {
    this.#child = child;
    this.#url = url;
    lines.on("line", (line) => this.printed.push(line));
  }

  /** Resolves when it listens. @throws Error if it ends before. */
  static async start(name: string): Promise<RunningExample> {
    const main = join("examples", name, "main.ts");
    const env = { ...process.env, PORT: "0" };
    const child = spawn(process.execPath, ["--import", "tsx", main], { cwd: root, env });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const ended = once(child, "exit").then(() => {
      throw new Error(`${main} ended at its start\n${output}`);
    });
    const lines = createInterface(child.stdout);
    const [url] = (await Promise.race([once(lines, "line"), ended])) as [string];
    ended.catch(() => {});
    return new RunningExample(child, lines, url);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.#url), init);
  }

  /** The statuses of calls that are made one after the other. */
  async statuses(count: number, path: string, init: RequestInit = {}): Promise<number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const answer = await this.fetch(path, init);
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    return statuses;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}
