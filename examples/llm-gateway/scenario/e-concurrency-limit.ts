import { setTimeout as sleep } from "node:timers/promises";
import type { ClosedLoopResult } from "../client/closed-loop";
import type { Answer } from "../client/shot";
import { type Row, same, within } from "../runner/row";
import type { Scenario, Stage } from "../runner/scenario";
import { commonText, numberIn, statusCounts, withStatus } from "./answers";
import { chatShot } from "./chat-shot";
import { sustainSlots } from "./sustained-slots";

const SLOTS = 5;
const CLIENTS = 60;
const SERVICE_MS = 900;
const DURATION_MS = 9_900;
const WINDOW_MS = 2_000;
const WINDOW_MAX = 1_000_000;

const slotsLimit = "x-ratelimit-api_key-limit-max_parallel_requests";
const slotsRemaining = "x-ratelimit-api_key-remaining-max_parallel_requests";
const requestsLimit = "x-ratelimit-api_key-limit-requests";
const requestsRemaining = "x-ratelimit-api_key-remaining-requests";

/** A key's slots are all in use all the time, by no more than they are, while its window rolls. */
export const concurrencyLimit: Scenario = {
  letter: "e",
  title: `limits: ${SLOTS} at once on a key; ${CLIENTS} clients ask again 20 ms after a refusal`,
  scale: `completions take ${SERVICE_MS / 1000} s, windows are ${WINDOW_MS / 1000} s, not 60 s`,
  adapters: "in turn",
  gateways: [{ windowMs: WINDOW_MS }],
  async run(stage) {
    const sustained = await sustainedLoad(stage);
    // The next request opens a window, so that its remaining count is known beforehand.
    await sleep(WINDOW_MS + 100);
    return [...sustained, ...(await eightAtOnce(stage))];
  },
};

async function sustainedLoad(stage: Stage): Promise<Row[]> {
  const load = { slots: SLOTS, clients: CLIENTS, serviceMs: SERVICE_MS, durationMs: DURATION_MS };
  const { result, rows } = await sustainSlots(stage, load);
  return [
    ...rows,
    within("windows of the requests limit meanwhile", [windowsOpened(result.served)], {
      min: 3,
      expected: ">= 3: it rolled",
    }),
    within("  least that remained in it", [leastRemaining(result)], {
      min: 1,
      expected: ">= 1: it never bound",
    }),
  ];
}

async function eightAtOnce({ load, upstream, ports }: Stage): Promise<Row[]> {
  await upstream.reset();
  await load.open(ports, 8);
  const shots = Array.from({ length: 8 }, () =>
    chatShot({ key: "sk-slots", latencyMs: SERVICE_MS, maxTokens: 30 }),
  );
  const answers = await load.burst(shots);
  const served = withStatus(answers, 200);
  const refused = withStatus(answers, 429);
  return [
    same("then eight at once", statusCounts(answers), "5 x 200, 3 x 429"),
    same("  limit of slots, all eight", commonHeader(answers, slotsLimit), String(SLOTS)),
    same("  slots that remained, the served", headerValues(served, slotsRemaining), "4 3 2 1 0"),
    same("  slots that remained, the refused", commonHeader(refused, slotsRemaining), "0"),
    same("  limit of requests, all eight", commonHeader(answers, requestsLimit), `${WINDOW_MAX}`),
    same(
      "  requests that remained, the served",
      headerValues(served, requestsRemaining),
      [1, 2, 3, 4, 5].map((used) => WINDOW_MAX - used).join(" "),
    ),
    within("  retry-after of the refused", refused.map(retryAfter), {
      min: 1,
      max: 2,
      unit: "s",
      expected: "1 s, a hint with jitter",
    }),
  ];
}

/** Of the requests of one window exactly one finds it untouched. */
function windowsOpened(served: readonly Answer[]): number {
  return served.filter((answer) => numberIn(answer, requestsRemaining) === WINDOW_MAX - 1).length;
}

function leastRemaining({ served, refusals }: ClosedLoopResult): number {
  return Math.min(...[...served, ...refusals].map((each) => numberIn(each, requestsRemaining)));
}

function commonHeader(answers: readonly Answer[], header: string): string {
  return commonText(answers, (answer) => answer.headers[header] ?? "absent");
}

function headerValues(answers: readonly Answer[], header: string): string {
  const values = answers.map((answer) => numberIn(answer, header));
  return values.sort((a, b) => b - a).join(" ");
}

function retryAfter(answer: Answer): number {
  return numberIn(answer, "retry-after");
}
