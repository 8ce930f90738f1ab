import { setTimeout as sleep } from "node:timers/promises";
import { type Row, same, within } from "../runner/row";
import type { Scenario, Stage } from "../runner/scenario";
import { statusCounts } from "./answers";
import { chatShot } from "./chat-shot";
import { decidedByStore } from "./decided-by-store";

const SLOTS = 5;
const LEASE_MS = 2_000;
const STREAM_MS = 7_000;
/** Whoever takes a slot keeps it until the newcomers have stopped asking. */
const LATENCY_MS = 3_000;
const CLIENTS = 30;
/** Of the five streams. */
const AT_THE_CRASHED = 3;

const settings = { slots: SLOTS, leaseMs: LEASE_MS };

/** One of three processes is killed while it holds slots: they come back when their leases end. */
export const crashedHolder: Scenario = {
  letter: "i",
  title: `shared: ${SLOTS} at once on a key over 3 processes; one is killed with 3 streams open`,
  scale: `leases of ${LEASE_MS / 1000} s, not 30 s`,
  adapters: "mixed",
  gateways: [settings, settings, settings],
  async run(stage) {
    const [crashed = 0, second = 0, third = 0] = stage.ports;
    await stage.prober.open([crashed, crashed, crashed, second, third], SLOTS);
    await stage.load.open([second, third], CLIENTS);
    const stream = chatShot({ key: "sk-slots", latencyMs: STREAM_MS, stream: true, chunks: 70 });
    const streaming = stage.prober.burst(Array.from({ length: SLOTS }, () => stream));
    // Long enough for each lease to have been renewed.
    await sleep(LEASE_MS / 2);
    const before = await stage.upstream.report();
    await stage.crash(0);
    const rows = await whoeverComes(stage);
    return [
      same("upstream's own maximum, five streams open", before.inFlightMax, SLOTS),
      ...rows,
      same("the five streams", statusCounts(await streaming), "3 x 0, 2 x 200"),
      await decidedByStore({ prober: stage.prober, ports: [second, third] }),
    ];
  },
};

async function whoeverComes({ load, upstream }: Stage): Promise<Row[]> {
  await upstream.reset();
  const shot = chatShot({ key: "sk-slots", latencyMs: LATENCY_MS, maxTokens: 30 });
  const durationMs = LEASE_MS + 800;
  const { served } = await load.closedLoop({ shot, durationMs, pauseMs: 20 });
  const { inFlightMax } = await upstream.report();
  return [
    same(`then ${CLIENTS} clients at the other two: served`, served.length, AT_THE_CRASHED),
    within("  after, counted from the crash", served.map(untilAsked), {
      min: LEASE_MS / 2,
      max: LEASE_MS + 250,
      unit: "ms",
      expected: `when the leases of ${LEASE_MS} ms end, asked every 20 ms: <= ${LEASE_MS + 250} ms`,
    }),
    same("  upstream's own maximum meanwhile", inFlightMax, SLOTS),
  ];
}

function untilAsked({ sentAtMs }: { readonly sentAtMs: number }): number {
  return sentAtMs;
}
