import type { Shot } from "../client/shot";

/** A completion to ask for, and how the fake model is to answer it. */
export interface ChatShot {
  /** @defaultValue `fake-model` */
  readonly model?: string;
  /** @defaultValue `sk-open` */
  readonly key?: string;
  readonly latencyMs: number;
  readonly stream?: boolean;
  readonly chunks?: number;
  readonly maxTokens?: number;
  /** What the model will report as used, prompt included. */
  readonly usedTokens?: number;
  readonly atMs?: number;
  readonly prompt?: string;
}

/** The request of a chat completion. */
export function chatShot(chat: ChatShot): Shot {
  const { model = "fake-model", key = "sk-open", latencyMs, stream = false } = chat;
  const { chunks, maxTokens, usedTokens, atMs } = chat;
  const metadata = {
    latency_ms: String(latencyMs),
    ...(chunks === undefined ? {} : { chunks: String(chunks) }),
    ...(usedTokens === undefined
      ? {}
      : { prompt_tokens: "10", completion_tokens: String(usedTokens - 10) }),
  };
  return {
    method: "POST",
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: chat.prompt ?? "How long is a piece of string?" }],
      ...(stream ? { stream } : {}),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      metadata,
    }),
    ...(atMs === undefined ? {} : { atMs }),
  };
}
