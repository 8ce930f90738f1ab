// Two workers with a gate each, and a primary that answers with the metrics of both. Run by
// several-processes.http.test.ts; prints the port of the primary and ends with its input.

import cluster from "node:cluster";
import { createServer } from "node:http";
import { createGate } from "@sluice/core";
import { prometheusRecorder } from "@sluice/prometheus";
import { AggregatorRegistry, Registry } from "prom-client";

const WORKERS = 2;

async function runWorker(): Promise<void> {
  const registry = new Registry();
  AggregatorRegistry.setRegistries(registry);
  // Answers the primary.
  new AggregatorRegistry();
  const metrics = prometheusRecorder({ registry });
  const gate = createGate({ maxInFlight: 3, name: "front", recorder: metrics });
  metrics.watch({
    gates: { front: gate },
    limits: { chat: { limit: 10 * (cluster.worker?.id ?? 0) } },
  });
  await gate.enter();
  await gate.enter();
  process.send?.("ready");
}

async function runPrimary(): Promise<void> {
  const aggregated = new AggregatorRegistry();
  const ready = Array.from({ length: WORKERS }, () => {
    const worker = cluster.fork();
    return new Promise<void>((resolve) => {
      worker.on("message", (message) => message === "ready" && resolve());
    });
  });
  await Promise.all(ready);
  const server = createServer((_req, res) => {
    aggregated.clusterMetrics().then(
      (text) => res.setHeader("content-type", aggregated.contentType).end(text),
      () => res.writeHead(500).end(),
    );
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
  });
  process.stdin.resume();
  process.stdin.on("end", () => {
    server.close();
    server.closeAllConnections();
    cluster.disconnect();
  });
}

await (cluster.isPrimary ? runPrimary() : runWorker());
