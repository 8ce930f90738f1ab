import type { Headline } from "../../report/headline";
import { decimal } from "../../report/number-text";
import { spreadOf } from "../../report/spread";
import { type Column, tableHead, tableRow } from "../../report/table";
import { measureTurns } from "./measure-turns";
import type { TurnsOrder, TurnsResult } from "./order";
import type { TurnLengths } from "./turn-meter";

const TARGET_MS = 10;
const KEYS = 1_000_000;
const RUNS = 3;
const EXPIRE_AFTER_MS = 6000;

const columns: readonly Column[] = [
  { heading: "  what", width: 48, side: "left" },
  { heading: "longest ms", width: 10, side: "right" },
  { heading: "of each run", width: 17, side: "right" },
  { heading: "on the wall", width: 11, side: "right" },
  { heading: "its longest GC", width: 14, side: "right" },
  { heading: "median turn", width: 11, side: "right" },
];

const fillOnly: readonly TurnsOrder[] = [
  { contender: "sluice", keys: KEYS, texts: "fresh" },
  { contender: "bare sharded Map", keys: KEYS, texts: "beforehand" },
  { contender: "bare sharded Map", keys: KEYS, texts: "fresh" },
  { contender: "floor", keys: KEYS, texts: "beforehand" },
];
const withExpiry: TurnsOrder = {
  contender: "sluice",
  keys: KEYS,
  texts: "beforehand",
  expireAfterMs: EXPIRE_AFTER_MS,
};

/** The longest turns of the event loop: prints a table, returns the figures that have a target. */
export async function runTurns(): Promise<Headline[]> {
  const orders = [withExpiry, ...fillOnly];
  const results = new Map<TurnsOrder, TurnsResult[]>(orders.map((order) => [order, []]));
  for (let run = 0; run < RUNS; run += 1) {
    for (const order of orders) results.get(order)?.push(await measureTurns(order));
  }
  console.log(`Turns of the event loop: ${decimal(KEYS)} keys, 200 asks per turn, ${RUNS} runs`);
  console.log(tableHead(columns));
  for (const [order, runs] of results) {
    const who = order.contender === "floor" ? "one bare Map" : order.contender;
    const fills = runs.map(({ fill }) => fill);
    console.log(row(`  ${who}, filled, key texts ${order.texts}`, fills));
  }
  const ours = results.get(withExpiry) ?? [];
  const expiries = ours.flatMap(({ expire }) => (expire === undefined ? [] : [expire]));
  console.log(row("  sluice, while they expire", expiries));
  for (const { tookMs, keysLeft } of expiries) {
    console.log(
      `    ${decimal(tookMs)} ms after the last was filled ${decimal(keysLeft)} were left`,
    );
  }
  console.log("");
  const fills = ours.map(({ fill }) => fill);
  return [headline("filled", fills), headline("expiring", expiries)];
}

function row(what: string, runs: readonly TurnLengths[]): string {
  const longest = runs.map(({ longestMs }) => longestMs);
  const most = (of: (lengths: TurnLengths) => number) => spreadOf(runs.map(of)).median.toFixed(2);
  return tableRow(columns, [
    what,
    spreadOf(longest).median.toFixed(2),
    longest.map((ms) => ms.toFixed(1)).join(" "),
    most(({ longestWallMs }) => longestWallMs),
    most(({ longestCollectionMs }) => longestCollectionMs),
    most(({ medianMs }) => medianMs),
  ]);
}

function headline(how: string, runs: readonly TurnLengths[]): Headline {
  const { median, min, max } = spreadOf(runs.map(({ longestMs }) => longestMs));
  return {
    what: `longest turn of the loop, 1 000 000 keys ${how}`,
    measured: `${median.toFixed(2)} ms (${min.toFixed(1)}..${max.toFixed(1)})`,
    target: `< ${TARGET_MS} ms`,
    isMet: median < TARGET_MS,
  };
}
