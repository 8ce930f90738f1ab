import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AdaptiveLimit, adaptiveLimit, createGate, type Limiter } from "@sluice/core";
import type { RenderOptions } from "@sluice/core/http";
import { createNodeGate, createNodeLimits } from "@sluice/node";
import { sendError, sendJson } from "../openai/send-json";
import { chatAnswerer } from "./answer-chat";
import { keyStatusAnswerer } from "./answer-key-status";
import { apiKeyOf } from "./api-key";
import type { DecidedBy } from "./decided-by";
import type { GatewaySettings } from "./gateway-settings";
import { keyPolicy } from "./key-policy";
import type { Keys } from "./keys";
import { modelCapacity } from "./model-capacity";

/** Refusals as AI clients know them, and headers that say where each limit of the key stands. */
const render: RenderOptions = {
  headers: ["descriptor", "ai"],
  body: "openai",
  slotsHeaderName: "max_parallel_requests",
};

/** Which keys there are, and who judges their limits. */
export interface Limiting {
  readonly keys: Keys;
  readonly limiter: Limiter;
  /** Records what the limiter decides. */
  readonly decidedBy: DecidedBy;
}

/** An OpenAI-compatible gateway: first the gate, then the key, then the limits of the key. */
export function createGatewayServer(
  settings: GatewaySettings,
  { keys, limiter, decidedBy }: Limiting,
): Server {
  const gate = createNodeGate({
    gate: createGate({
      maxInFlight: capOf(settings),
      queue: { max: settings.queueMax, timeoutMs: settings.queueTimeoutMs },
      mode: settings.gate,
    }),
    render,
  });
  const limits = createNodeLimits<IncomingMessage>({
    limiter,
    policy: settings.limits === "off" ? () => null : keyPolicy(keys, modelCapacity(settings)),
    render,
  });

  const answerBacklog = gate.backlogHandler();
  const answerChat = limits.wrap(chatAnswerer(settings));
  const answerKeyStatus = keyStatusAnswerer(limiter, keys);

  /** What the gate lets in. It lets everything through to the paths under `/health`. */
  async function route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = `${req.method} ${req.url}`;
    if (path === "GET /health/liveliness") return sendJson(res, 200, "I'm alive!");
    if (path === "GET /health/backlog") return answerBacklog(req, res);
    if (path === "GET /health/decided-by") return sendJson(res, 200, decidedBy.counts);
    if (!keys.has(apiKeyOf(req) ?? "")) return sendError(res, 401, "No such key.");
    if (path === "POST /v1/chat/completions") return answerChat(req, res);
    if (path === "GET /v1/limits") return answerKeyStatus(req, res);
    return sendError(res, 404, `No route ${path}.`);
  }

  const server = createServer(gate.wrap(route));
  // Idle clients keep their connections, so that none is closed under a request on its way.
  server.keepAliveTimeout = 120_000;
  return server;
}

/** How many requests may be in flight. */
function capOf({ cap, maxInFlight }: GatewaySettings): number | AdaptiveLimit {
  return cap === "fixed" ? maxInFlight : adaptiveLimit({ ceiling: maxInFlight });
}
