import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { permitOf } from "@sluice/node";
import type { ChatRequest } from "../openai/chat-request";
import { sendError } from "../openai/send-json";
import { readChat } from "./read-chat";
import { usageTap } from "./usage-tap";

/** Where completions come from, and whether they are settled to what they used. */
export interface ChatRoute {
  readonly upstreamPort: number;
  readonly settle: "on" | "off";
}

/** A handler that passes completions on to the upstream and its answers back, streamed or not. */
export function chatAnswerer(route: ChatRoute) {
  const agent = new Agent({ keepAlive: true });
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const parsed = await readChat(req);
    if (!parsed.ok) return sendError(res, 400, parsed.problem);
    try {
      const answer = await ask({ agent, port: route.upstreamPort, chat: parsed.chat, res });
      passBack(req, res, { answer, chat: parsed.chat, settle: route.settle });
    } catch (error) {
      refuse(req, res, error as Error);
    }
  };
}

interface Question {
  readonly agent: Agent;
  readonly port: number;
  readonly chat: ChatRequest;
  readonly res: ServerResponse;
}

/** Resolves when the upstream starts to answer. A caller that leaves takes the question with it. */
function ask({ agent, port, chat, res }: Question): Promise<IncomingMessage> {
  // Without this option a stream would not say what it used.
  const stream_options = { include_usage: true };
  const body = chat.stream ? { ...chat.body, stream_options } : chat.body;
  return new Promise((resolve, reject) => {
    const target = { agent, host: "127.0.0.1", port, path: "/v1/chat/completions" };
    const headers = { "content-type": "application/json" };
    const question = request({ ...target, method: "POST", headers }, resolve);
    question.on("error", reject);
    res.once("close", () => question.destroy());
    question.end(JSON.stringify(body));
  });
}

interface PassBack {
  readonly answer: IncomingMessage;
  readonly chat: ChatRequest;
  readonly settle: "on" | "off";
}

function passBack(
  req: IncomingMessage,
  res: ServerResponse,
  { answer, chat, settle }: PassBack,
): void {
  res.statusCode = answer.statusCode ?? 502;
  const type = answer.headers["content-type"];
  if (type !== undefined) res.setHeader("content-type", type);
  if (chat.stream) res.flushHeaders();
  const tap = usageTap(chat.stream, (tokens) => {
    if (settle === "on") permitOf(req)?.usage({ tokens });
  });
  // An answer that breaks off must not look like one that is complete.
  answer.on("error", () => res.destroy());
  answer.pipe(tap).pipe(res);
}

/** Nothing was served by an upstream that cannot be reached, so nothing is to be paid. */
function refuse(req: IncomingMessage, res: ServerResponse, error: Error): void {
  if (res.destroyed) return;
  permitOf(req)?.refundAtEnd();
  sendError(res, 502, `The upstream did not answer: ${error.message}`);
}
