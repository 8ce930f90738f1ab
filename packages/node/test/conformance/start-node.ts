import { createServer, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { pipeline } from "node:stream";
import {
  type AdapterMount,
  type AdapterScenario,
  type AnswerBehaviour,
  bodyLength,
  type RunningAdapter,
  runningAdapter,
} from "@sluice/testing";
import { createNodeGate } from "../../src/node-gate";
import { createNodeLimits } from "../../src/node-limits";
import { verdictOf } from "../../src/verdict-of";

// Both protocols have the same API; the types of their handlers differ, though.
type Req = import("node:http").IncomingMessage;
type Listener = (req: Req, res: ServerResponse) => unknown;

/** A server of node:http or node:http2 for a scenario of the conformance suite. */
export function startNode(scenario: AdapterScenario): Promise<RunningAdapter> {
  const listener = scenario.mounts.reduceRight<Listener>(
    (inner, mount) => mounted(mount, inner, scenario),
    (req, res) => route(scenario, req, res),
  );
  const isHttp1 = scenario.protocol === "http1";
  return runningAdapter(isHttp1 ? createServer(listener) : createHttp2Server(listener as never));
}

function mounted(mount: AdapterMount, inner: Listener, { heard }: AdapterScenario): Listener {
  const wrap = wrapOf(mount, heard);
  const outer = mount.times === 2 ? wrap(wrap(inner)) : wrap(inner);
  if (mount.at === "/") return outer;
  return (req, res) => (req.url?.startsWith(`${mount.at}/`) ? outer(req, res) : inner(req, res));
}

function wrapOf(mount: AdapterMount, onError: (error: unknown) => void) {
  if (mount.kind === "gate") {
    const gate = createNodeGate({ gate: mount.gate, ...mount.options, onError });
    return (handler: Listener): Listener => gate.wrap(handler);
  }
  const limits = createNodeLimits({ limiter: mount.limiter, ...mount.options, onError });
  return (handler: Listener): Listener => limits.wrap(handler as never);
}

function route(scenario: AdapterScenario, req: Req, res: ServerResponse): unknown {
  const { method = "", url = "" } = req;
  if (!/^(\/api)?\/do\//.test(url)) {
    res.statusCode = 404;
    return res.end();
  }
  const behaviour = scenario.behave({ method, url, verdict: verdictOf(req) });
  switch (behaviour.does) {
    case "answer":
      if (behaviour.after || behaviour.reads) return answerLater(behaviour, req, res);
      return answer(behaviour, req, res);
    case "stream":
      return pipeline(behaviour.source, res, () => {});
    case "take":
      return behaviour.write(res);
    case "throw":
      if (behaviour.hasBegun) res.write("begun");
      throw behaviour.error;
    case "reject":
      return behaviour.after.then(() => Promise.reject(behaviour.error));
    case "redirect":
      res.writeHead(302, { location: behaviour.to });
      return res.end();
  }
}

async function answerLater(
  behaviour: AnswerBehaviour,
  req: Req,
  res: ServerResponse,
): Promise<void> {
  if (behaviour.reads) behaviour.onRead?.(await bodyLength(req));
  await behaviour.after;
  answer(behaviour, req, res);
}

function answer({ status, headers, body }: AnswerBehaviour, req: Req, res: ServerResponse): void {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(req.method === "HEAD" || status === 204 ? undefined : body);
}
