import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChatRequest } from "../openai/chat-request";
import { sendJson } from "../openai/send-json";
import { sseDone, sseEvent } from "../openai/sse";
import type { WorkInHand } from "./load-record";
import { type ModelBehaviour, usageOf } from "./model-behaviour";
import type { ModelSlots } from "./model-slots";

interface Answer {
  readonly chat: ChatRequest;
  readonly behaviour: ModelBehaviour;
  readonly work: WorkInHand;
  readonly slots: ModelSlots;
}

/**
 * Answers as a model would, as slowly as it was told, once it has a slot. Resolves early when the
 * caller leaves.
 */
export async function answerChat(res: ServerResponse, answer: Answer): Promise<void> {
  const leaving = new AbortController();
  res.once("close", () => {
    answer.work.abandon();
    leaving.abort();
  });
  try {
    const free = await answer.slots.take(leaving.signal);
    try {
      await (answer.chat.stream ? stream : plain)(res, answer, leaving.signal);
    } finally {
      free();
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
}

async function plain(res: ServerResponse, answer: Answer, signal: AbortSignal): Promise<void> {
  const { chat, behaviour, work } = answer;
  await sleep(behaviour.latencyMs, undefined, { signal });
  // The work counts as done before its last byte leaves: whoever takes the slot that this byte
  // frees finds it free.
  work.complete();
  sendJson(res, 200, {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: 0,
    model: chat.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Measured, not guessed." },
        finish_reason: "stop",
      },
    ],
    usage: usageOf(behaviour),
  });
}

async function stream(res: ServerResponse, answer: Answer, signal: AbortSignal): Promise<void> {
  const { behaviour, work } = answer;
  const startedMs = performance.now();
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  res.flushHeaders();
  for (let index = 1; index <= behaviour.chunks; index += 1) {
    const dueMs = startedMs + (behaviour.latencyMs * index) / behaviour.chunks;
    await sleep(Math.max(0, dueMs - performance.now()), undefined, { signal });
    const finish_reason = index === behaviour.chunks ? "stop" : null;
    const choice = { index: 0, delta: { content: `word${index} ` }, finish_reason };
    res.write(chunkEvent(answer, { choices: [choice] }));
  }
  work.complete();
  res.end(chunkEvent(answer, { choices: [], usage: usageOf(behaviour) }) + sseDone);
}

function chunkEvent({ chat }: Answer, content: object): string {
  const head = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 0 };
  return sseEvent({ ...head, model: chat.model, ...content });
}
