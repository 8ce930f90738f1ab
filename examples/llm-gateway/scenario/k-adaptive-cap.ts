import { setTimeout as sleep } from "node:timers/promises";

import { seededRandom } from "@sluice/testing";
import type { Arrival } from "../client/open-loop";
import type { LoadClient } from "../runner/load-client";
import { type Row, shown, within } from "../runner/row";
import type { Scenario, Stage } from "../runner/scenario";
import { chatShot } from "./chat-shot";
import { percentile } from "./percentile";

const SERVICE_MS = 50;
const SLOTS = 12;
const RATE = 180;
/** What half of the slots can do, per second. */
const HALVED_RATE = (SLOTS / 2) * (1000 / SERVICE_MS);
const HALVED_AT_MS = 7_000;
const RESTORED_AT_MS = 18_000;
const END_MS = 27_000;
/** Time to adapt, which is not measured. */
const SETTLING_MS = 5_000;

/** A cap that finds itself, beside a fixed one, while the upstream loses half of its slots. */
export const adaptiveCap: Scenario = {
  letter: "k",
  title: `gate: adaptive cap beside a fixed one; ${RATE}/s, ${SLOTS} slots upstream, half, all`,
  scale: "the upstream is slower for 11 s, not 120 s",
  adapters: "first",
  gateways: [
    { cap: "adaptive", maxInFlight: 100, queueMax: 0 },
    { cap: "fixed", maxInFlight: 100, queueMax: 0 },
  ],
  async run(stage) {
    const { load, prober, ports } = stage;
    const [adaptive, fixed] = await Promise.all([
      openLoop(load, ports[0] ?? 0, "adaptive"),
      openLoop(prober, ports[1] ?? 0, "fixed"),
      changeSlots(stage),
    ]);
    return rowsOf(adaptive, fixed);
  },
};

async function openLoop(load: LoadClient, port: number, model: string): Promise<Arrival[]> {
  await load.open(port, 300);
  const shots = [chatShot({ model, latencyMs: SERVICE_MS })];
  return load.openLoop({ shots, arrivalsMs: poisson(RATE, END_MS) });
}

async function changeSlots({ upstream }: Stage): Promise<void> {
  const give = (slots: number) =>
    Promise.all(["adaptive", "fixed"].map((model) => upstream.giveSlots(model, slots)));
  await give(SLOTS);
  await sleep(HALVED_AT_MS);
  await give(SLOTS / 2);
  await sleep(RESTORED_AT_MS - HALVED_AT_MS);
  await give(SLOTS);
}

function rowsOf(adaptive: readonly Arrival[], fixed: readonly Arrival[]): Row[] {
  const halved = { fromMs: HALVED_AT_MS + SETTLING_MS, untilMs: RESTORED_AT_MS };
  const after = { fromMs: RESTORED_AT_MS + SETTLING_MS, untilMs: END_MS };
  const during = measured(adaptive, halved);
  const beside = measured(fixed, halved);
  const restored = measured(adaptive, after);
  return [
    within("half of the slots: served per second", [during.goodput], {
      min: 0.9 * HALVED_RATE,
      expected: `>= ${0.9 * HALVED_RATE}: the slots are busy`,
    }),
    shown("  fixed cap", beside.goodput.toFixed(1)),
    within("  p99 of the served", [during.p99Ms], {
      max: beside.p99Ms / 2,
      unit: "ms",
      expected: "<= half of the fixed cap's",
    }),
    shown("  fixed cap", `${beside.p99Ms.toFixed(0)} ms`),
    within("all slots again: refused", [100 * restored.refused], {
      max: 1,
      unit: "%",
      expected: "<= 1 %",
    }),
    within("  p99 of the served", [restored.p99Ms], {
      max: 4 * SERVICE_MS,
      unit: "ms",
      expected: `<= ${4 * SERVICE_MS} ms`,
    }),
  ];
}

function measured(
  arrivals: readonly Arrival[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
) {
  const own = arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
  const served = own.filter(({ status }) => status === 200);
  return {
    goodput: served.length / ((untilMs - fromMs) / 1000),
    p99Ms: percentile(
      served.map(({ durationMs }) => durationMs),
      0.99,
    ),
    refused: 1 - served.length / own.length,
  };
}

/** Instants of independent arrivals, the same in every run. */
function poisson(perSecond: number, untilMs: number): number[] {
  const random = seededRandom(1);
  const instants: number[] = [];
  for (let atMs = 0; atMs < untilMs; ) {
    instants.push(atMs);
    atMs += (-Math.log(1 - random.next()) * 1000) / perSecond;
  }
  return instants;
}
