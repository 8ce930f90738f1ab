import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, startServer } from "../tools/redis/redis-server";
import { runMainJob } from "./run-main-job";

const letters = ["g", "h", "i"];

let server: RedisServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

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
    const { code, output } = await runMainJob(`redis://127.0.0.1:${server.port}`, [
      "--only",
      letters.join(""),
    ]);
    for (const letter of letters) expect(output).toMatch(new RegExp(`\\b${letter} ok\\b`));
    expect(output.match(/\(through express, koa, fastify;/g)).toHaveLength(letters.length);
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
    expect(await immortalKeys()).toEqual([]);
  });
});
