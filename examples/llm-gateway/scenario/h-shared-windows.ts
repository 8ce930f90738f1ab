import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Shot } from "../client/shot";
import { type Row, same } from "../runner/row";
import type { Scenario, Stage } from "../runner/scenario";
import { commonText, limitsText, numberIn, refuser, statusCounts, withStatus } from "./answers";
import { chatShot } from "./chat-shot";
import { decidedByStore } from "./decided-by-store";

const WINDOW_MS = 6_000;
const LATENCY_MS = 50;
const CLIENTS = 24;
/** A settlement leaves when the response has ended, while others may ask already. */
const SETTLED_WITHIN_MS = 200;
/** 40 characters, which the gateway takes for 10 tokens. */
const PROMPT = "0123456789012345678901234567890123456789";

/** As f, with the key's window and its budget shared by three gateway processes. */
export const sharedWindows: Scenario = {
  letter: "h",
  title: "shared: 10 requests and 1000 tokens per window, on one key over 3 processes",
  scale: `windows of ${WINDOW_MS / 1000} s, not 60 s`,
  adapters: "mixed",
  gateways: [{ windowMs: WINDOW_MS }, { windowMs: WINDOW_MS }, { windowMs: WINDOW_MS }],
  async run(stage) {
    await stage.prober.open(stage.ports, stage.ports.length);
    await stage.load.open(stage.ports, CLIENTS);
    return [
      ...(await requestsBind(stage)),
      ...(await tokensBind(stage)),
      ...(await othersSettle(stage)),
      await decidedByStore(stage),
    ];
  },
};

async function requestsBind(stage: Stage): Promise<Row[]> {
  const answers = await stage.load.burst(atOnce(CLIENTS, { reserve: 20, used: 20 }));
  const used = await usedAsSeen(stage);
  await untilNextWindow(answers);
  return [
    same(`${CLIENTS} at once, 8 at each process`, statusCounts(answers), "10 x 200, 14 x 429"),
    same("  refused by", commonText(withStatus(answers, 429), refuser), "requests"),
    same("  used, as each process sees it", used, "10 requests, 200 tokens"),
  ];
}

async function tokensBind(stage: Stage): Promise<Row[]> {
  const answers = await stage.load.burst(atOnce(CLIENTS, { reserve: 150, used: 150 }));
  return [
    same("in the next window, 150 tokens each", statusCounts(answers), "6 x 200, 18 x 429"),
    same("  refused by", commonText(withStatus(answers, 429), refuser), "tokens"),
    same("  used, as each process sees it", await usedAsSeen(stage), "6 requests, 900 tokens"),
  ];
}

async function othersSettle(stage: Stage): Promise<Row[]> {
  const [answer] = await stage.load.burst(atOnce(1, { reserve: 100, used: 30 }));
  await sleep(SETTLED_WITHIN_MS);
  return [
    same("then 100 tokens reserved at one process", answer?.status ?? "none", 200),
    same(
      "  used, as each process sees it: its real 30",
      await usedAsSeen(stage),
      "7 requests, 930 tokens",
    ),
    same("answered by the upstream", (await stage.upstream.report()).started, 17),
  ];
}

/** Tokens that a gateway will estimate, and that the model will report. */
interface Tokens {
  readonly reserve: number;
  readonly used: number;
}

function atOnce(count: number, { reserve, used }: Tokens): Shot[] {
  const shot = chatShot({
    key: "sk-budget",
    latencyMs: LATENCY_MS,
    prompt: PROMPT,
    maxTokens: reserve - PROMPT.length / 4,
    usedTokens: used,
  });
  return Array.from({ length: count }, () => shot);
}

/** What the processes say, each asked over its own connection. */
async function usedAsSeen({ prober, ports }: Stage): Promise<string> {
  const headers = { authorization: "Bearer sk-budget" };
  const shot: Shot = { method: "GET", path: "/v1/limits", headers };
  return commonText(await prober.burst(ports.map(() => shot)), limitsText);
}

async function untilNextWindow(answers: readonly Answer[]): Promise<void> {
  const waits = withStatus(answers, 429).map((answer) => numberIn(answer, "retry-after-ms"));
  await sleep(Math.max(0, ...waits));
}
