import type { IncomingMessage } from "node:http";
import { type ParsedChat, parseChatRequest } from "../openai/chat-request";
import { readText } from "../openai/read-text";

const chats = new WeakMap<IncomingMessage, Promise<ParsedChat>>();

/**
 * The chat request in a body. The body is read once, whoever asks first: the policy, which needs
 * the estimate, or the handler. Never rejects.
 */
export function readChat(req: IncomingMessage): Promise<ParsedChat> {
  let chat = chats.get(req);
  if (chat === undefined) {
    chat = parsed(req);
    chats.set(req, chat);
  }
  return chat;
}

async function parsed(req: IncomingMessage): Promise<ParsedChat> {
  const text = await readText(req);
  if (text === undefined) return { ok: false, problem: "The body must not exceed 10 MB." };
  return parseChatRequest(text);
}
