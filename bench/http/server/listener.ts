import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createGate, createLimiter, fixedWindow } from "@sluice/core";
import { createNodeGate, createNodeLimits } from "@sluice/node";
import { BODY, KEY_HEADER } from "../answer";
import type { ServerName } from "../server-name";

/** Never reached: every request is admitted. */
const PLENTY = 1_000_000_000;

/** Above the number of connections of the client. */
const MAX_IN_FLIGHT = 1000;

const perHour = fixedWindow({ unit: "requests", max: PLENTY, windowMs: 3_600_000 });

function answer(_req: IncomingMessage, res: ServerResponse): void {
  res.setHeader("content-type", "application/json");
  res.end(BODY);
}

function keyOf(req: IncomingMessage): string {
  return String(req.headers[KEY_HEADER]);
}

function limits(headers: "none" | "ietf") {
  return createNodeLimits({
    limiter: createLimiter(),
    policy: (req) => ({
      descriptors: [{ kind: "key", id: keyOf(req), limits: [perHour] }],
    }),
    render: { headers },
  });
}

/** What the server of that name does with a request. */
export function listenerOf(name: ServerName): RequestListener {
  const gate = createNodeGate({ gate: createGate({ maxInFlight: MAX_IN_FLIGHT }) });
  switch (name) {
    case "bare node:http":
      return answer;
    case "bare, reads the key":
      return (req, res) => {
        if (keyOf(req) !== "") answer(req, res);
      };
    case "gate only":
      return gate.wrap(answer);
    case "limits only, no headers":
      return limits("none").wrap(answer);
    case "gate + limits, no headers":
      return gate.wrap(limits("none").wrap(answer));
    case "gate + limits, ietf headers":
      return gate.wrap(limits("ietf").wrap(answer));
  }
}
