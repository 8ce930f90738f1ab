import type { ChatRequest } from "../openai/chat-request";
import type { Usage } from "../openai/usage";

/** How the fake model answers one request. */
export interface ModelBehaviour {
  /** From the request to the last byte of the answer, streamed or not. */
  readonly latencyMs: number;
  /** Pieces of a streamed answer, the usage not counted. */
  readonly chunks: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** The behaviour that a request asks for in its `metadata`; what it leaves out is `standard`. */
export function behaviourFor(chat: ChatRequest, standard: ModelBehaviour): ModelBehaviour {
  const number = (name: string, fallback: number) => {
    const value = Number(chat.metadata[name] ?? Number.NaN);
    return Number.isInteger(value) && value >= 0 ? value : fallback;
  };
  return {
    latencyMs: number("latency_ms", standard.latencyMs),
    chunks: Math.max(1, number("chunks", standard.chunks)),
    promptTokens: number("prompt_tokens", standard.promptTokens),
    completionTokens: number("completion_tokens", standard.completionTokens),
  };
}

/** The usage that the model will report. */
export function usageOf(behaviour: ModelBehaviour): Usage {
  const { promptTokens, completionTokens } = behaviour;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
