import { parseArgs } from "node:util";
import { serveAsChild } from "../process/serve-as-child";
import { createUpstreamServer } from "./upstream-server";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    "latency-ms": { type: "string", default: "200" },
    chunks: { type: "string", default: "10" },
    "prompt-tokens": { type: "string", default: "12" },
    "completion-tokens": { type: "string", default: "30" },
  },
});

const server = createUpstreamServer({
  latencyMs: Number(values["latency-ms"]),
  chunks: Number(values.chunks),
  promptTokens: Number(values["prompt-tokens"]),
  completionTokens: Number(values["completion-tokens"]),
});
await serveAsChild([{ server, port: Number(values.port) }]);
