import { durationMs } from "../client/shot";
import { same, within } from "../runner/row";
import type { Scenario } from "../runner/scenario";
import { commonText, statusCounts, withStatus } from "./answers";
import { chatShot } from "./chat-shot";

const LATENCY_MS = 1_500;
const IMMEDIATE_MS = 250;

const capacityBody =
  '{"error":{"message":"Worker at capacity: 2 in-flight, 1 queued requests. Retry later.",' +
  '"type":"overloaded_error","code":"503"}}';

/** Six completions at once meet a gate with two places and a queue for one. */
export const gateBurst: Scenario = {
  letter: "a",
  title: "gate: cap 2, queue 1, time-out 0.5 s; six completions at once",
  scale: `completions take ${LATENCY_MS / 1000} s, not 14 to 16 s`,
  adapters: "side by side",
  gateways: [{ maxInFlight: 2, queueMax: 1, queueTimeoutMs: 500 }],
  async run({ ports: [port = 0], upstream, load }) {
    await load.open(port, 6);
    const answers = await load.burst(
      Array.from({ length: 6 }, () => chatShot({ latencyMs: LATENCY_MS })),
    );
    const refused = withStatus(answers, 503);
    const immediate = refused.filter((answer) => durationMs(answer) < IMMEDIATE_MS);
    const late = refused.filter((answer) => durationMs(answer) >= IMMEDIATE_MS);
    return [
      same("answers", statusCounts(answers), "2 x 200, 4 x 503"),
      same("refused at once, because the queue is full", immediate.length, 3),
      within("  after", immediate.map(durationMs), { max: 50, unit: "ms", expected: "<= 50 ms" }),
      same("  body", commonText(immediate, bodyOf), capacityBody),
      same("  retry-after", commonText(immediate, retryAfterOf), "1"),
      same("refused later, because the wait was too long", late.length, 1),
      within("  after", late.map(durationMs), {
        min: 400,
        max: 600,
        unit: "ms",
        expected: "500 +- 100 ms",
      }),
      same("upstream's own maximum", (await upstream.report()).inFlightMax, 2),
    ];
  },
};

function bodyOf(answer: { readonly body: string }): string {
  return answer.body;
}

function retryAfterOf(answer: { readonly headers: Readonly<Record<string, string>> }): string {
  return answer.headers["retry-after"] ?? "absent";
}
