import type { LivenessSample } from "../client/liveness";
import { type Answer, durationMs, type Shot } from "../client/shot";
import { type Row, same, shown, within } from "../runner/row";
import type { Scenario, Stage } from "../runner/scenario";
import { statusCounts, withStatus } from "./answers";
import { type ChatShot, chatShot } from "./chat-shot";
import { percentile } from "./percentile";

const CONCURRENT = 200;
const LATENCY_MS = 3_000;
const CHUNKS = 50;
const EVERY_MS = 50;
const settings = { maxInFlight: 8, queueMax: 8, queueTimeoutMs: 500 };

/** 200 completions at once: the gate lets 8 in, and the process stays alive for its supervisor. */
export const livenessUnderLoad: Scenario = {
  letter: "c",
  title: "gate: cap 8, queue 8, time-out 0.5 s; 200 completions at once, liveness every 50 ms",
  scale: `streams of ${CHUNKS} chunks over ${LATENCY_MS / 1000} s, not 100 over 6 s`,
  adapters: "in turn",
  gateways: [settings, { ...settings, gate: "off" }],
  async run(stage) {
    const [portOn = 0, portOff = 0] = stage.ports;
    const on = await measure(stage, portOn);
    const off = await measure(stage, portOff);
    return [...judged(on), ...besides(off)];
  },
};

interface Measured {
  readonly answers: readonly Answer[];
  readonly samples: readonly LivenessSample[];
  readonly inFlightMax: number;
}

async function measure({ upstream, load, prober }: Stage, port: number): Promise<Measured> {
  await prober.open(port, 1);
  await load.open(port, CONCURRENT);
  // A process that has never refused anything compiles as it goes: the clock starts afterwards.
  await load.burst(atOnce({ latencyMs: 100 }));
  await load.burst(atOnce({ latencyMs: 100 }));
  await upstream.reset();
  const [answers, samples] = await Promise.all([
    load.burst(atOnce({ latencyMs: LATENCY_MS, stream: true, chunks: CHUNKS })),
    prober.liveness({
      path: "/health/liveliness",
      everyMs: EVERY_MS,
      durationMs: LATENCY_MS,
    }),
  ]);
  return { answers, samples, inFlightMax: (await upstream.report()).inFlightMax };
}

function atOnce(chat: ChatShot): Shot[] {
  return Array.from({ length: CONCURRENT }, () => chatShot(chat));
}

function judged({ answers, samples, inFlightMax }: Measured): Row[] {
  const latencies = samples.map((sample) => sample.latencyMs);
  return [
    same("answers", statusCounts(answers), "8 x 200, 192 x 503"),
    within("liveness samples", [samples.length], { min: 40, expected: ">= 40" }),
    same("  answered with another status than 200", samples.filter(isOther).length, 0),
    within("  p95", [percentile(latencies, 0.95)], { below: 50, unit: "ms", expected: "< 50 ms" }),
    same("upstream's own maximum", inFlightMax, 8),
    shown("refused after, median", refusalMedian(answers)),
  ];
}

function besides({ answers, samples, inFlightMax }: Measured): Row[] {
  const latencies = samples.map((sample) => sample.latencyMs);
  return [
    shown("the same with the gate off: answers", statusCounts(answers)),
    shown("  liveness p95", `${percentile(latencies, 0.95).toFixed(1)} ms`),
    shown("  upstream's own maximum", String(inFlightMax)),
  ];
}

function isOther({ status }: LivenessSample): boolean {
  return status !== 200;
}

function refusalMedian(answers: readonly Answer[]): string {
  return `${percentile(withStatus(answers, 503).map(durationMs), 0.5).toFixed(1)} ms`;
}
