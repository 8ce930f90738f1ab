import { createServer, type Server } from "node:http";
import { backlogOf, expressGate, expressLimits, permitOf } from "@sluice/express";
import express, { type Request, type RequestHandler, type Response } from "express";
import { readText } from "../../openai/read-text";
import { type Answer, errorAnswer, jsonAnswer } from "../answer";
import { apiKeyOf } from "../api-key";
import type { Gateway } from "../gateway";
import { chatReader } from "../read-chat";

/** The gateway as an Express app. */
export function expressServer(gateway: Gateway): Server {
  const readChat = chatReader<Request>(readText);
  const requireKey: RequestHandler = (req, res, next) => {
    if (gateway.knowsKey(apiKeyOf(req))) next();
    else send(res, errorAnswer(401, "No such key."));
  };
  const limits = expressLimits(gateway.limitsOptions(readChat));

  const app = express();
  // It lets everything through to the paths under /health.
  app.use(expressGate(gateway.gateOptions));
  app.get("/health/liveliness", (_req, res) => send(res, jsonAnswer(200, "I'm alive!")));
  app.get("/health/backlog", (_req, res) => send(res, jsonAnswer(200, backlogOf(gateway.gate))));
  app.get("/health/decided-by", (_req, res) => {
    send(res, jsonAnswer(200, gateway.decidedBy.counts));
  });
  app.post("/v1/chat/completions", requireKey, limits, async (req, res) => {
    const call = { chat: await readChat(req), permit: permitOf(req), res };
    send(res, await gateway.answerChat(call));
  });
  app.get("/v1/limits", requireKey, async (req, res) => {
    send(res, await gateway.answerKeyStatus(apiKeyOf(req)));
  });
  return createServer(app);
}

function send(res: Response, { status, type, body }: Answer): void {
  res.status(status).type(type);
  if (typeof body === "string") res.send(body);
  else body.pipe(res);
}
