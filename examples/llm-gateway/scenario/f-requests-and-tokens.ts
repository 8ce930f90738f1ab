import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../client/shot";
import type { LoadClient } from "../runner/load-client";
import { type Row, same } from "../runner/row";
import type { Scenario } from "../runner/scenario";
import { limitsText, numberIn, refuser, statusCounts } from "./answers";
import { type ChatShot, chatShot } from "./chat-shot";

const WINDOW_MS = 6_000;
const LATENCY_MS = 50;
const STREAM_MS = 500;
/** 40 characters, which the gateway takes for 10 tokens. */
const PROMPT = "0123456789012345678901234567890123456789";

/** Requests and tokens per window on one key: what one refuses is not charged to the other. */
export const requestsAndTokens: Scenario = {
  letter: "f",
  title: "limits: 10 requests and 1000 tokens per window, together on one key",
  scale: `windows of ${WINDOW_MS / 1000} s, not 60 s`,
  adapters: "side by side",
  gateways: [{ windowMs: WINDOW_MS }],
  async run({ ports: [port = 0], load, prober }) {
    await prober.open(port, 1);
    await load.open(port, 7);
    const key = new BudgetKey(load, prober);
    return [
      ...(await settlesPlain(key)),
      ...(await settlesStreams(key)),
      ...(await tokensRefuse(key)),
      ...(await requestsRefuse(key)),
    ];
  },
};

async function settlesPlain(key: BudgetKey): Promise<Row[]> {
  const answer = await key.ask({ reserve: 200, used: 120 });
  return [
    same("plain answer: 200 tokens reserved", answer.status, 200),
    same("  remained at its start", remaining(answer), "9 requests, 800 tokens"),
    same("  used after it: its real 120", await key.used(), "1 requests, 120 tokens"),
  ];
}

async function settlesStreams(key: BudgetKey): Promise<Row[]> {
  const stream = { stream: true, chunks: 5, latencyMs: STREAM_MS };
  const streaming = key.ask({ reserve: 300, used: 50, ...stream });
  await sleep(STREAM_MS / 2);
  const during = await key.used();
  const answer = await streaming;
  const after = await key.used();
  const larger = await key.ask({ reserve: 20, used: 130, ...stream });
  return [
    same("streamed answer: 300 reserved", answer.status, 200),
    same("  used during it", during, "2 requests, 420 tokens"),
    same("  used after it: its real 50", after, "2 requests, 170 tokens"),
    same("streamed answer: 20 reserved", larger.status, 200),
    same("  used after it: its real 130", await key.used(), "3 requests, 300 tokens"),
  ];
}

async function tokensRefuse(key: BudgetKey): Promise<Row[]> {
  const refused = await key.ask({ reserve: 810, used: 810 });
  return [
    same("810 tokens wanted, 700 left", refused.status, 429),
    same("  refused by", refuser(refused), "tokens"),
    same("  remained, by its headers", remaining(refused), "7 requests, 700 tokens"),
    same("  used after it: as before", await key.used(), "3 requests, 300 tokens"),
  ];
}

async function requestsRefuse(key: BudgetKey): Promise<Row[]> {
  const seven = await key.askAtOnce(7, { reserve: 20, used: 20 });
  const afterSeven = await key.used();
  const refused = await key.ask({ reserve: 20, used: 20 });
  const afterRefusal = await key.used();
  await sleep(numberIn(refused, "retry-after-ms"));
  const again = await key.ask({ reserve: 20, used: 20 });
  return [
    same("the other seven requests, at once", statusCounts(seven), "7 x 200"),
    same("  used after them", afterSeven, "10 requests, 440 tokens"),
    same("one more", refused.status, 429),
    same("  refused by", refuser(refused), "requests"),
    same("  remained, by its headers", remaining(refused), "0 requests, 560 tokens"),
    same("  used after it: as before", afterRefusal, "10 requests, 440 tokens"),
    same("the same after its retry-after-ms", again.status, 200),
    same("  used after it, in a new window", await key.used(), "1 requests, 20 tokens"),
  ];
}

interface Ask extends Partial<ChatShot> {
  /** Tokens that the gateway will estimate. */
  readonly reserve: number;
  /** Tokens that the model will report. */
  readonly used: number;
}

/** The key `sk-budget`, used over one connection and watched over another. */
class BudgetKey {
  readonly #load: LoadClient;
  readonly #prober: LoadClient;

  constructor(load: LoadClient, prober: LoadClient) {
    this.#load = load;
    this.#prober = prober;
  }

  async ask(ask: Ask): Promise<Answer> {
    const [answer] = await this.askAtOnce(1, ask);
    return answer as Answer;
  }

  askAtOnce(count: number, { reserve, used, ...chat }: Ask): Promise<Answer[]> {
    const shot = chatShot({
      key: "sk-budget",
      latencyMs: LATENCY_MS,
      prompt: PROMPT,
      maxTokens: reserve - PROMPT.length / 4,
      usedTokens: used,
      ...chat,
    });
    return this.#load.burst(Array.from({ length: count }, () => shot));
  }

  /** What the limiter says without charging anything. */
  async used(): Promise<string> {
    const headers = { authorization: "Bearer sk-budget" };
    const answer = await this.#prober.send({ method: "GET", path: "/v1/limits", headers });
    return limitsText(answer);
  }
}

/** What an answer's headers say. */
function remaining(answer: Answer): string {
  return ["requests", "tokens"]
    .map((unit) => `${answer.headers[`x-ratelimit-api_key-remaining-${unit}`]} ${unit}`)
    .join(", ");
}
