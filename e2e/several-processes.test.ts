import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, startServer } from "../tools/redis/redis-server";

const root = fileURLToPath(new URL("..", import.meta.url));
const letters = ["g", "h", "i"];

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

/** The rows of gateways that share their limits, and nothing else of the main job. */
async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const main = ["--import", "tsx", "examples/llm-gateway/main.ts", "--only", letters.join("")];
  const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${server.port}` };
  const child = spawn(process.execPath, [...main, ...args], { cwd: root, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** Keys that would stay for ever. */
async function immortalKeys(): Promise<readonly string[]> {
  const keys = (await server.command("KEYS", "*")) as string[];
  const lifetimes = await Promise.all(keys.map((key) => server.command("PTTL", key)));
  return keys.filter((_, index) => lifetimes[index] === -1);
}

describe("the main job with REDIS_URL", () => {
  it("shows that several processes share their limits, and leaves keys that expire", {
    timeout: 180_000,
  }, async () => {
    const { code, output } = await run();
    for (const letter of letters) expect(output).toMatch(new RegExp(`\\b${letter} ok\\b`));
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
    expect(await immortalKeys()).toEqual([]);
  });

  it("fails all of these rows when each process counts for itself", {
    timeout: 180_000,
  }, async () => {
    const { code, output } = await run("--break", "sharing");
    for (const letter of letters) expect(output).toMatch(new RegExp(`\\b${letter} FAILED`));
    expect(code).toBe(1);
  });
});
