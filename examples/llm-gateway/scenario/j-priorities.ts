import type { Arrival } from "../client/open-loop";
import type { Shot } from "../client/shot";
import type { LoadClient } from "../runner/load-client";
import { type Row, same, within } from "../runner/row";
import type { Scenario } from "../runner/scenario";
import { chatShot } from "./chat-shot";

const CAPACITY = 100;
const WINDOW_MS = 4_000;
/** Enough for a machine that stalls for a while. */
const CONNECTIONS = 250;
/** A little before half of the window: a request that is late itself must still be in time. */
const LATE_MS = 0.49 * WINDOW_MS;
/** Of each class, per window: twice what the model has. */
const DEMAND = 2 * CAPACITY;

const [INTERACTIVE, BATCH] = [0, 1];
const of = (key: "sk-interactive" | "sk-batch", model: string): Shot =>
  chatShot({ key, model, latencyMs: 0, maxTokens: 1 });

/** Two classes, promised .75 and .25 of a model's capacity, ask for more than there is. */
export const priorities: Scenario = {
  letter: "j",
  title: `priorities: ${CAPACITY} requests a window, promised .75 to interactive and .25 to batch`,
  scale: `windows are ${WINDOW_MS / 1000} s, not 60 s`,
  adapters: "first",
  gateways: [
    { whenSaturated: "strict", windowMs: 60_000 },
    { whenSaturated: "lend", windowMs: WINDOW_MS },
  ],
  async run({ ports: [strict = 0, lending = 0], load, prober }) {
    return [
      ...(await bothAtOnce(load, strict)),
      ...(await aloneAndLate({ load, prober, port: lending })),
    ];
  },
};

async function bothAtOnce(load: LoadClient, port: number): Promise<Row[]> {
  await load.open(port, CONNECTIONS);
  const shots = [of("sk-interactive", "strict"), of("sk-batch", "strict")];
  const arrivals = await load.openLoop({ shots, arrivalsMs: evenly(0, 2_000, 2 * DEMAND) });
  return [
    same("strict, both from the start: interactive served", served(arrivals, INTERACTIVE), 75),
    same("  batch served", served(arrivals, BATCH), 25),
    same("  all others", others(arrivals), "429"),
  ];
}

interface TwoLoads {
  readonly load: LoadClient;
  readonly prober: LoadClient;
  readonly port: number;
}

/** On one model batch is alone; on another interactive arrives when half of the window is over. */
async function aloneAndLate({ load, prober, port }: TwoLoads): Promise<Row[]> {
  await load.open(port, CONNECTIONS);
  await prober.open(port, CONNECTIONS);
  const batch = evenly(0, WINDOW_MS, DEMAND).map((atMs) => ({ atMs, shot: BATCH }));
  const interactive = evenly(LATE_MS, WINDOW_MS, DEMAND / 2).map((atMs) => {
    return { atMs, shot: INTERACTIVE };
  });
  const inOrder = [...batch, ...interactive].sort((a, b) => a.atMs - b.atMs);
  const [alone, late] = await Promise.all([
    load.openLoop({ shots: [of("sk-batch", "alone")], arrivalsMs: batch.map(({ atMs }) => atMs) }),
    prober.openLoop({
      shots: inOrder.map(({ shot }) => of(shot === BATCH ? "sk-batch" : "sk-interactive", "late")),
      arrivalsMs: inOrder.map(({ atMs }) => atMs),
    }),
  ]);
  const lateServed = late.filter(
    ({ status, shot }) => status === 200 && inOrder[shot]?.shot === INTERACTIVE,
  );
  return [
    within("lend, batch alone: served of twice the capacity", [served(alone, 0)], {
      min: 98,
      max: CAPACITY,
      expected: ">= 98: nothing is left unused",
    }),
    within("lend, interactive from half of the window on: served", [lateServed.length], {
      min: 37,
      expected: ">= 37: its promise for the rest",
    }),
    within("  both together", [late.filter(({ status }) => status === 200).length], {
      min: 98,
      max: CAPACITY,
      expected: "98 to 100",
    }),
  ];
}

/** `count` instants from `fromMs` until before `untilMs`. */
function evenly(fromMs: number, untilMs: number, count: number): number[] {
  const stepMs = (untilMs - fromMs) / count;
  return Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
}

function served(arrivals: readonly Arrival[], shot: number | undefined): number {
  return arrivals.filter((each) => each.shot === shot && each.status === 200).length;
}

function others(arrivals: readonly Arrival[]): string {
  const statuses = arrivals.map(({ status }) => status).filter((status) => status !== 200);
  return [...new Set(statuses)].join(" | ");
}
