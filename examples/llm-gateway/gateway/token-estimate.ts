import type { ChatRequest } from "../openai/chat-request";

const CHARS_PER_TOKEN = 4;
const UNBOUNDED_OUTPUT_TOKENS = 256;

/**
 * The tokens to reserve before anything is known: the prompt at four characters a token, and all
 * the output that the caller allows (256 if it sets no bound).
 */
export function estimateTokens(chat: ChatRequest): number {
  const output = chat.maxTokens ?? UNBOUNDED_OUTPUT_TOKENS;
  return Math.max(1, Math.ceil(chat.promptChars / CHARS_PER_TOKEN) + output);
}
