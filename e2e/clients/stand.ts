import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { concurrency, createGate, createLimiter, fixedWindow, type Limit } from "@sluice/core";
import type { HeaderPreset } from "@sluice/core/http";
import { createNodeGate, createNodeLimits, type NodeListener } from "@sluice/node";

/** What the first request of a client meets. */
export type Obstacle = "none" | "window" | "slots" | "gate" | "quota";

/** A real server whose first request is refused for a real reason. */
export interface Stand {
  readonly url: string;
  /** The statuses of all answers so far. */
  readonly statuses: readonly number[];
  close(): Promise<void>;
}

interface Blocked {
  readonly listener: NodeListener<IncomingMessage, ServerResponse>;
  /** Takes what there is, as another caller would; returns what gives it back. */
  readonly block: () => Promise<() => void>;
}

/** Short of a second, so that Retry-After and retry-after-ms differ. */
const WINDOW_MS = 600;
const HOUR_MS = 3_600_000;

const limitsOf: Readonly<Record<Exclude<Obstacle, "none" | "gate">, Limit>> = {
  window: fixedWindow({ max: 1, windowMs: WINDOW_MS }),
  slots: concurrency({ max: 1 }),
  quota: fixedWindow({ max: 1, windowMs: HOUR_MS }),
};

/** Opens such a server on a free port. What blocks is gone once the first request is refused. */
export async function openStand(
  obstacle: Obstacle,
  headers: readonly HeaderPreset[],
): Promise<Stand> {
  const { listener, block } = blocked(obstacle, headers);
  const statuses: number[] = [];
  let isFirst = true;
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    res.once("finish", () => statuses.push(res.statusCode));
    if (isFirst) {
      isFirst = false;
      res.once("finish", await block());
    }
    listener(req, res);
  };
  const server = createServer((req, res) => void serve(req, res));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, statuses, close };
}

function answer(req: IncomingMessage, res: ServerResponse): void {
  req.resume();
  res.setHeader("content-type", "application/json");
  res.end('{"object":"answer"}');
}

function blocked(obstacle: Obstacle, headers: readonly HeaderPreset[]): Blocked {
  if (obstacle === "none") return { listener: answer, block: async () => () => {} };
  if (obstacle === "gate") return blockedGate(headers);
  return blockedLimit(limitsOf[obstacle], headers);
}

function blockedGate(headers: readonly HeaderPreset[]): Blocked {
  const gate = createGate({ maxInFlight: 1, queue: { max: 0 } });
  const block = async () => {
    const verdict = await gate.enter();
    if (!verdict.admitted) throw new Error("The slot was taken already.");
    return () => verdict.permit.end("success");
  };
  return { listener: createNodeGate({ gate, render: { headers } }).wrap(answer), block };
}

function blockedLimit(limit: Limit, headers: readonly HeaderPreset[]): Blocked {
  const limiter = createLimiter({ concurrencyRetryAfterMs: WINDOW_MS });
  const question = { descriptors: [{ kind: "caller", id: "c1", limits: [limit] }] };
  const block = async () => {
    const verdict = await limiter.admit(question);
    if (!verdict.admitted) throw new Error("The limit was used up already.");
    return () => void verdict.permit.release();
  };
  const limits = createNodeLimits({ limiter, policy: () => question, render: { headers } });
  return { listener: limits.wrap(answer), block };
}
