import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { runMainJob, startMainJob } from "./run-main-job";

async function untilPrinted(output: { text: string }, pattern: RegExp): Promise<string> {
  for (;;) {
    const match = pattern.exec(output.text);
    if (match?.[1] !== undefined) return match[1];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the main job", () => {
  it("shows every row as expected, through all adapters, and ends with exit code 0", {
    timeout: 300_000,
  }, async () => {
    const { code, output } = await runMainJob("", []);
    expect(output).toMatch(/^ +what +node +express +koa +fastify +expected/m);
    for (const letter of ["a", "b", "c", "d", "e", "f", "j", "k"]) {
      expect(output).toMatch(new RegExp(`^.*\\b${letter} ok\\b`, "m"));
    }
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
  });

  it("keeps serving with --serve until SIGTERM, and leaves nothing behind", {
    timeout: 60_000,
  }, async () => {
    const { child, output } = startMainJob("", ["--serve"]);
    const url = await untilPrinted(output, /Gateway (http:\S+),/);
    const upstreamPort = await untilPrinted(output, /\(port (\d+)\)/);
    const alive = await fetch(`${url}/health/liveliness`);
    expect(alive.status).toBe(200);

    child.kill("SIGTERM");
    const [code] = await once(child, "close");

    expect(code).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(`http://127.0.0.1:${upstreamPort}/control/load`)).rejects.toThrow();
  });
});
