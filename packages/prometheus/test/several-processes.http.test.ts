import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { ofMetric, seriesOf } from "./scrape";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const program = fileURLToPath(new URL("./cluster/program.ts", import.meta.url));

let started: ChildProcess | undefined;

afterEach(async () => {
  if (started === undefined || started.exitCode !== null) return;
  const ended = once(started, "exit");
  started.stdin?.end();
  await ended;
});

/** Starts the cluster, and returns where its primary listens. */
async function startCluster(): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", program], {
    cwd: root,
    env: { ...process.env, TSX_TSCONFIG_PATH: "tsconfig.json" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  started = child;
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  return `http://127.0.0.1:${port}`;
}

describe("A cluster of two workers", () => {
  it("answers with the sums of what is in flight, and the mean of what each has found", async () => {
    const url = await startCluster();
    const answer = await fetch(url);
    const series = seriesOf(await answer.text());
    const front = '{class="none",gate="front"}';
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(ofMetric(series, "gate_in_flight")).toEqual({ [front]: 4 });
    expect(ofMetric(series, "gate_admitted_total")).toEqual({ [front]: 4 });
    expect(ofMetric(series, "gate_max_in_flight")).toEqual({ '{gate="front"}': 6 });
    expect(Object.values(ofMetric(series, "gate_wait_seconds_count"))).toEqual([4]);
    expect(ofMetric(series, "adaptive_limit")).toEqual({ '{limit="chat"}': 15 });
  });
});
