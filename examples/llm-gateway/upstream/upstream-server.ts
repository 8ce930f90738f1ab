import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parseChatRequest } from "../openai/chat-request";
import { readText } from "../openai/read-text";
import { sendError, sendJson } from "../openai/send-json";
import { answerChat } from "./answer-chat";
import { LoadRecord } from "./load-record";
import { behaviourFor, type ModelBehaviour } from "./model-behaviour";
import { SlotsByModel } from "./model-slots";

/**
 * A local stand-in for a model provider: `POST /v1/chat/completions`, and a control side that
 * reports (`GET /control/load`) and clears (`POST /control/reset`) what it saw, and says on how
 * many requests a model works at once (`POST /control/slots` with `{ model, slots }`).
 */
export function createUpstreamServer(standard: ModelBehaviour): Server {
  const load = new LoadRecord();
  const slots = new SlotsByModel();

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const route = `${req.method} ${req.url}`;
    if (route === "GET /control/load") return sendJson(res, 200, load.report());
    if (route === "POST /control/reset") {
      load.reset();
      return sendJson(res, 200, {});
    }
    if (route === "POST /control/slots") {
      const order = JSON.parse((await readText(req)) ?? "") as { model: string; slots: number };
      slots.of(order.model).resize(order.slots);
      return sendJson(res, 200, {});
    }
    if (route !== "POST /v1/chat/completions") return sendError(res, 404, `No route ${route}.`);
    const work = load.begin();
    const parsed = parseChatRequest((await readText(req)) ?? "");
    if (!parsed.ok) {
      work.abandon();
      return sendError(res, 400, parsed.problem);
    }
    await answerChat(res, {
      chat: parsed.chat,
      behaviour: behaviourFor(parsed.chat, standard),
      work,
      slots: slots.of(parsed.chat.model),
    });
  }

  const server = createServer((req, res) => void serve(req, res));
  // A gateway that reuses a connection must not meet one that was closed for being idle.
  server.keepAliveTimeout = 120_000;
  return server;
}
