import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** As `npm run bench -- redis --quick`, without looking whether the packages are built. */
async function runQuickly(): Promise<{ code: number | null; output: string }> {
  const args = ["--import", "tsx", "bench/run.ts", "redis", "--quick"];
  const env = { ...process.env, TSX_TSCONFIG_PATH: "tsconfig.base.json" };
  const child = spawn(process.execPath, args, { cwd: root, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

describe("the benchmark on Redis", () => {
  it("measures every row and target with all limiters on both clients", async () => {
    const { code, output } = await runQuickly();
    const rows = output.match(
      /^ {2}(sluice|rate-limiter-flexible|bare \w+), (ioredis|redis) .*$/gm,
    );
    // One limit at four numbers in flight, the hot key at one, with four limiters each; three
    // limits at four with two.
    expect(rows, output).toHaveLength(2 * (4 * 4 + 4 + 4 * 2));
    expect(output).not.toMatch(/NaN|Infinity/);
    expect(output.match(/ (ok|missed)$/gm)).toHaveLength(10);
    expect(code).toBe(0);
  });
});
