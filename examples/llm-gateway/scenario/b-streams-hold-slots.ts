import { type Answer, durationMs } from "../client/shot";
import { same, within } from "../runner/row";
import type { Scenario } from "../runner/scenario";
import { commonText, statusCounts } from "./answers";
import { chatShot } from "./chat-shot";

const STREAM_MS = 2_000;
const PLAIN_MS = 100;

/** Two streams hold both places from their first request to their last chunk. */
export const streamsHoldSlots: Scenario = {
  letter: "b",
  title: "gate: cap 2, queue 2, time-out 0.5 s; two streams, then plain requests",
  scale: `streams take ${STREAM_MS / 1000} s, not 15 s`,
  adapters: "side by side",
  gateways: [{ maxInFlight: 2, queueMax: 2, queueTimeoutMs: 500 }],
  async run({ ports: [port = 0], upstream, load }) {
    await load.open(port, 4);
    const stream = chatShot({ latencyMs: STREAM_MS, stream: true, chunks: 20 });
    const [first, second, early, waiting] = (await load.burst([
      stream,
      stream,
      chatShot({ latencyMs: PLAIN_MS, atMs: 200 }),
      chatShot({ latencyMs: PLAIN_MS, atMs: STREAM_MS - 250 }),
    ])) as [Answer, Answer, Answer, Answer];
    const streams = [first, second];
    const lastChunkAtMs = Math.min(...streams.map((answer) => answer.endedAtMs));
    return [
      same("the two streams", statusCounts(streams), "2 x 200"),
      same("  end", commonText(streams, endOf), "usage, then [DONE]"),
      within("  first byte after", streams.map(untilFirstByte), {
        max: STREAM_MS / 2,
        unit: "ms",
        expected: `<= ${STREAM_MS / 2} ms: not held back`,
      }),
      same("plain request 0.2 s after them", early.status, 503),
      within("  after", [durationMs(early)], {
        min: 400,
        max: 600,
        unit: "ms",
        expected: "500 +- 100 ms",
      }),
      same("plain request 0.25 s before their end", waiting.status, 200),
      within("  answered, counted from the last chunk", [waiting.endedAtMs - lastChunkAtMs], {
        min: 0.9 * PLAIN_MS,
        max: 5 * PLAIN_MS,
        unit: "ms",
        expected: `>= ${PLAIN_MS} ms (its own time) - 10 %`,
      }),
      same("upstream's own maximum", (await upstream.report()).inFlightMax, 2),
    ];
  },
};

function untilFirstByte(answer: Answer): number {
  return answer.firstByteAtMs - answer.sentAtMs;
}

function endOf({ body }: Answer): string {
  const [beforeLast, last] = body.trim().split("\n\n").slice(-2);
  const hasUsage = beforeLast?.includes('"usage":{') ?? false;
  return hasUsage && last === "data: [DONE]" ? "usage, then [DONE]" : `${beforeLast} ${last}`;
}
