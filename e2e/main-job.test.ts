import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = "examples/llm-gateway/main.ts";

function start(...args: string[]) {
  // Whatever the machine has: with a shared store it is another run (several-processes.test.ts).
  const env = { ...process.env, REDIS_URL: "" };
  const child = spawn(process.execPath, ["--import", "tsx", main, ...args], { cwd: root, env });
  const output = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output.text += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output.text += chunk;
  });
  return { child, output };
}

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { child, output } = start(...args);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: output.text };
}

async function untilPrinted(output: { text: string }, pattern: RegExp): Promise<string> {
  for (;;) {
    const match = pattern.exec(output.text);
    if (match?.[1] !== undefined) return match[1];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the main job", () => {
  it("shows every row as expected and ends with exit code 0", { timeout: 180_000 }, async () => {
    const { code, output } = await run();
    for (const letter of ["a", "b", "c", "d", "e", "f", "j", "k"]) {
      expect(output).toMatch(new RegExp(`^.*\\b${letter} ok\\b`, "m"));
    }
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
  });

  // A table that cannot turn red shows nothing.
  it.each([
    { fault: "cap", letters: "abd" },
    { fault: "slots", letters: "e" },
    { fault: "settle", letters: "f" },
    { fault: "shares", letters: "j" },
  ])(
    "fails the rows $letters and ends with exit code 1 when $fault is broken on purpose",
    { timeout: 120_000 },
    async ({ fault, letters }) => {
      const { code, output } = await run("--only", letters, "--break", fault);
      for (const letter of letters) {
        expect(output).toMatch(new RegExp(`^.*\\b${letter} FAILED`, "m"));
      }
      expect(code).toBe(1);
    },
  );

  it("keeps serving with --serve until SIGTERM, and leaves nothing behind", {
    timeout: 60_000,
  }, async () => {
    const { child, output } = start("--serve");
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
