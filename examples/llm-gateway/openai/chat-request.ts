/** The part of an OpenAI chat completion request that this example reads. */
export interface ChatRequest {
  readonly model: string;
  /** The text of all messages, in characters. */
  readonly promptChars: number;
  readonly stream: boolean;
  /** `max_completion_tokens`, else `max_tokens`, else absent. */
  readonly maxTokens?: number;
  /** OpenAI's free map of texts; the fake model takes its orders from it. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The whole body as it was sent, to be passed on. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A parsed request, or a sentence for the caller that says what is wrong with it. */
export type ParsedChat =
  | { readonly ok: true; readonly chat: ChatRequest }
  | { readonly ok: false; readonly problem: string };

/** Reads the text of a request body. Never throws. */
export function parseChatRequest(text: string): ParsedChat {
  const body = parseObject(text);
  if (body === undefined) return { ok: false, problem: "The body must be a JSON object." };
  if (typeof body.model !== "string" || body.model === "") {
    return { ok: false, problem: "model must be a text." };
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return { ok: false, problem: "messages must be a list with at least one message." };
  }
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  if (maxTokens !== undefined && !isCount(maxTokens)) {
    return { ok: false, problem: "max_tokens must be an integer of 0 to 1000000." };
  }
  const chat = {
    model: body.model,
    promptChars: body.messages.reduce((sum: number, each) => sum + charsOf(each), 0),
    stream: body.stream === true,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    metadata: textsOf(body.metadata),
    body,
  };
  return { ok: true, chat };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1_000_000;
}

function charsOf(message: unknown): number {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === "string") return content.length;
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, part) => {
    return sum + (isObject(part) && typeof part.text === "string" ? part.text.length : 0);
  }, 0);
}

function textsOf(metadata: unknown): Record<string, string> {
  if (!isObject(metadata)) return {};
  const texts = Object.entries(metadata).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}
