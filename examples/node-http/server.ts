import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createGate, createLimiter } from "@sluice/core";
import { backlogHandler, createNodeGate, createNodeLimits } from "@sluice/node";
import { policy } from "./policy";

/** A server of node:http behind a gate and limits. */
export function createExampleServer(): Server {
  const door = createGate({ maxInFlight: 100, queue: { max: 50, timeoutMs: 500 } });
  const gate = createNodeGate({ gate: door });
  const limits = createNodeLimits({ limiter: createLimiter(), policy });

  const answerBacklog = backlogHandler(door);
  const answerApi = limits.wrap((req, res: ServerResponse) => {
    if (req.method === "OPTIONS") return answerPreflight(res);
    res.setHeader("content-type", "text/plain");
    res.end("hello\n");
  });

  return createServer(
    gate.wrap((req: IncomingMessage, res: ServerResponse) => {
      // The gate lets this path through at any time; limits are not asked.
      if (req.url === "/health/backlog") answerBacklog(req, res);
      else answerApi(req, res);
    }),
  );
}

function answerPreflight(res: ServerResponse): void {
  res.statusCode = 204;
  res.setHeader("access-control-allow-origin", "*");
  res.setHeader("access-control-allow-methods", "GET");
  res.end();
}
