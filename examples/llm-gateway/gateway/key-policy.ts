import type { IncomingMessage } from "node:http";
import type { Policy, Question } from "@sluice/core";
import { apiKeyOf } from "./api-key";
import type { KeyLimits } from "./key-limits";
import { readChat } from "./read-chat";
import { estimateTokens } from "./token-estimate";

/**
 * From a chat request to a question about its key: one request and the estimated tokens. A key
 * without limits asks nothing; a body that makes no sense reserves no tokens.
 */
export function keyPolicy(keys: KeyLimits): Policy<IncomingMessage> {
  return async (req) => {
    const question = questionAbout(apiKeyOf(req), keys);
    if (question === null) return null;
    const parsed = await readChat(req);
    const tokens = parsed.ok ? estimateTokens(parsed.chat) : 0;
    return { ...question, cost: { requests: 1, tokens } };
  };
}

/** What is asked about a key, whatever the request; null if the key is unknown or has no limits. */
export function questionAbout(key: string | undefined, keys: KeyLimits): Question | null {
  const limits = key === undefined ? undefined : keys.get(key);
  if (key === undefined || limits === undefined || limits.length === 0) return null;
  return { descriptors: [{ kind: "api_key", id: key, limits }] };
}
