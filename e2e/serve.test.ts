import { once } from "node:events";
import { describe, it } from "vitest";
import { startMainJob } from "./run-main-job";

async function untilPrinted(output: { text: string }, pattern: RegExp): Promise<string> {
  for (;;) {
    const match = pattern.exec(output.text);
    if (match?.[1] !== undefined) return match[1];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const headers = { authorization: "Bearer sk-slots", "content-type": "application/json" };
const body = JSON.stringify({
  model: "fake-model",
  stream: true,
  messages: [{ role: "user", content: "Hello" }],
});

/** Whom the gate counts, but for the question itself. */
async function othersInFlight(url: string): Promise<number> {
  const answer = await fetch(`${url}/health/backlog`);
  const { in_flight_requests } = (await answer.json()) as { in_flight_requests: number };
  return in_flight_requests - 1;
}

/** Slots of the key that are in use. */
async function slotsUsed(url: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/v1/limits`, { headers });
  const { limits } = (await answer.json()) as { limits: { unit: string; used: number }[] };
  return limits.find(({ unit }) => unit === "slots")?.used;
}

describe.concurrent("the gateway that the main job leaves running with --serve", () => {
  it.for(["node", "express", "koa", "fastify"])(
    "on %s streams, loses nothing to a client that leaves, and ends by SIGTERM with all it started",
    { timeout: 60_000 },
    async (adapter, { expect, onTestFinished }) => {
      const { child, output } = startMainJob("", ["--serve", "--adapter", adapter]);
      onTestFinished(() => {
        child.kill("SIGKILL");
      });
      const url = await untilPrinted(output, /Gateway (http:\S+),/);
      const upstream = await untilPrinted(output, /\(port (\d+)\)/);
      const load = `http://127.0.0.1:${upstream}/control/load`;

      const leaving = new AbortController();
      const { signal } = leaving;
      const chat = { method: "POST", headers, body, signal };
      const stream = await fetch(`${url}/v1/chat/completions`, chat);
      await stream.body?.getReader().read();
      expect(stream.headers.get("content-type")).toContain("text/event-stream");
      expect([await othersInFlight(url), await slotsUsed(url)]).toEqual([1, 1]);
      leaving.abort();
      await expect.poll(() => othersInFlight(url)).toBe(0);
      await expect.poll(() => slotsUsed(url)).toBe(0);
      // Its model takes a second: had the upstream not been told, it would complete the answer.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      expect(await (await fetch(load)).json()).toMatchObject({ started: 1, completedAtMs: [] });

      child.kill("SIGTERM");
      const [code] = await once(child, "close");
      expect(code).toBe(0);
      await expect(fetch(url)).rejects.toThrow();
      await expect(fetch(load)).rejects.toThrow();
    },
  );
});
