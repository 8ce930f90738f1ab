import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { LimiterPermit } from "@sluice/core";
import type { ChatRequest, ParsedChat } from "../openai/chat-request";
import { type Answer, errorAnswer } from "./answer";
import { usageTap } from "./usage-tap";

/** Where completions come from, and whether they are settled to what they used. */
export interface ChatRoute {
  readonly upstreamPort: number;
  readonly settle: "on" | "off";
}

/** One call of the route. */
export interface ChatCall {
  readonly chat: ParsedChat;
  /** What the call holds of its limits, if any apply to it. */
  readonly permit: LimiterPermit | undefined;
  /** What will be written: its caller has left when it closes. */
  readonly res: ServerResponse;
}

/** Passes completions on to the upstream and its answers back, streamed or not. Never rejects. */
export function chatAnswerer(route: ChatRoute): (call: ChatCall) => Promise<Answer> {
  const agent = new Agent({ keepAlive: true });
  return async ({ chat: parsed, permit, res }) => {
    if (!parsed.ok) return errorAnswer(400, parsed.problem);
    const { chat } = parsed;
    try {
      const answer = await ask({ agent, port: route.upstreamPort, chat, res });
      const tap = usageTap(chat.stream, (tokens) => {
        if (route.settle === "on") permit?.usage({ tokens });
      });
      // An answer that breaks off must not look like one that is complete.
      answer.on("error", () => res.destroy());
      const { "content-type": type = "application/json" } = answer.headers;
      return { status: answer.statusCode ?? 502, type, body: answer.pipe(tap) };
    } catch (error) {
      // Nothing was served, so nothing is to be paid.
      permit?.refundAtEnd();
      return errorAnswer(502, `The upstream did not answer: ${(error as Error).message}`);
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
