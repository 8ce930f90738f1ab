import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A started main job, and what it has printed so far. */
export interface RunningMainJob {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: { text: string };
}

/**
 * Starts the main job with limits on the Redis server at `redisUrl`, or in memory if that is empty,
 * whatever the machine has.
 */
export function startMainJob(redisUrl: string, args: readonly string[]): RunningMainJob {
  const main = ["--import", "tsx", "examples/llm-gateway/main.ts", ...args];
  const env = { ...process.env, REDIS_URL: redisUrl };
  const child = spawn(process.execPath, main, { cwd: root, env });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output.text += chunk;
    });
  }
  return { child, output };
}

/** Runs it to its end. */
export async function runMainJob(
  redisUrl: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { child, output } = startMainJob(redisUrl, args);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: output.text };
}
