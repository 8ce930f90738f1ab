import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, startServer } from "../tools/redis/redis-server";
import { runMainJob } from "./run-main-job";

let server: RedisServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const memory = () => "";
const redis = () => `redis://127.0.0.1:${server.port}`;

// A table that cannot turn red shows nothing. All at once: it is no matter if more rows fail.
describe.concurrent("the main job with a fault", () => {
  it.each([
    { fault: "cap", letters: "abd", store: memory },
    { fault: "slots", letters: "e", store: memory },
    { fault: "settle", letters: "f", store: memory },
    { fault: "shares", letters: "j", store: memory },
    { fault: "sharing", letters: "ghi", store: redis },
  ])(
    "fails the rows $letters and ends with exit code 1 when $fault is broken on purpose",
    { timeout: 180_000 },
    async ({ fault, letters, store }) => {
      const options = ["--adapter", "node", "--only", letters, "--break", fault];
      const { code, output } = await runMainJob(store(), options);
      for (const letter of letters) {
        expect(output).toMatch(new RegExp(`^.*\\b${letter} FAILED`, "m"));
      }
      expect(code).toBe(1);
    },
  );
});
