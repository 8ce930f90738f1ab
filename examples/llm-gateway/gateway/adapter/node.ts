import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { backlogOf, createNodeGate, createNodeLimits, permitOf } from "@sluice/node";
import { readText } from "../../openai/read-text";
import { type Answer, errorAnswer, jsonAnswer } from "../answer";
import { apiKeyOf } from "../api-key";
import type { Gateway } from "../gateway";
import { chatReader } from "../read-chat";

/** The gateway without a framework. */
export function nodeServer(gateway: Gateway): Server {
  const readChat = chatReader<IncomingMessage>(readText);
  const gate = createNodeGate(gateway.gateOptions);
  const limits = createNodeLimits<IncomingMessage>(gateway.limitsOptions(readChat));

  const answerChat = limits.wrap(async (req, res: ServerResponse) => {
    const call = { chat: await readChat(req), permit: permitOf(req), res };
    send(res, await gateway.answerChat(call));
  });

  /** What the gate lets in. It lets everything through to the paths under `/health`. */
  async function route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = `${req.method} ${req.url}`;
    if (path === "GET /health/liveliness") return send(res, jsonAnswer(200, "I'm alive!"));
    if (path === "GET /health/backlog") return send(res, jsonAnswer(200, backlogOf(gateway.gate)));
    if (path === "GET /health/decided-by") {
      return send(res, jsonAnswer(200, gateway.decidedBy.counts));
    }
    const key = apiKeyOf(req);
    if (!gateway.knowsKey(key)) return send(res, errorAnswer(401, "No such key."));
    if (path === "POST /v1/chat/completions") return answerChat(req, res);
    if (path === "GET /v1/limits") return send(res, await gateway.answerKeyStatus(key));
    return send(res, errorAnswer(404, `No route ${path}.`));
  }

  return createServer(gate.wrap(route));
}

function send(res: ServerResponse, { status, type, body }: Answer): void {
  res.statusCode = status;
  res.setHeader("content-type", type);
  if (typeof body === "string") res.end(body);
  else body.pipe(res);
}
