import type { Descriptor, Policy } from "@sluice/core";
import type { ParsedChat } from "../openai/chat-request";
import { apiKeyOf, type WithHeaders } from "./api-key";
import type { Keys } from "./keys";
import { estimateTokens } from "./token-estimate";

/** What the policy knows of keys, models and requests. */
export interface PolicyParts<Req> {
  readonly keys: Keys;
  readonly capacityOf: (model: string) => Descriptor;
  readonly readChat: (req: Req) => Promise<ParsedChat>;
}

/**
 * From a chat request to a question about its key, and about the model's capacity if the key has a
 * priority: one request and the estimated tokens. A key without both asks nothing; a body that
 * makes no sense reserves no tokens, and no capacity.
 */
export function keyPolicy<Req extends WithHeaders>({
  keys,
  capacityOf,
  readChat,
}: PolicyParts<Req>): Policy<Req> {
  return async (req) => {
    const key = apiKeyOf(req);
    const own = ownDescriptor(key, keys);
    const { priority } = keys.get(key ?? "") ?? {};
    if (own === undefined && priority === undefined) return null;
    const parsed = await readChat(req);
    const descriptors = own === undefined ? [] : [own];
    if (parsed.ok && priority !== undefined) descriptors.push(capacityOf(parsed.chat.model));
    if (descriptors.length === 0) return null;
    const tokens = parsed.ok ? estimateTokens(parsed.chat) : 0;
    const question = { descriptors, cost: { requests: 1, tokens } };
    return priority === undefined ? question : { ...question, priority };
  };
}

/** What a key has limits of its own for; undefined if it is unknown or has none. */
export function ownDescriptor(key: string | undefined, keys: Keys): Descriptor | undefined {
  const limits = keys.get(key ?? "")?.limits ?? [];
  return key === undefined || limits.length === 0
    ? undefined
    : { kind: "api_key", id: key, limits };
}
