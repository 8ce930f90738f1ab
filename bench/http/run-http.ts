import { canPin } from "../process/pinning";
import { headlineTable } from "../report/headline";
import { decimal } from "../report/number-text";
import { type Spread, spreadOf } from "../report/spread";
import { type Column, tableHead, tableRow } from "../report/table";
import { type HttpRound, type HttpRounds, measureHttp, ROUNDS } from "./measure-http";
import type { ServerName } from "./server-name";

const TARGET = 0.9;
const BARE: ServerName = "bare node:http";
const OURS: ServerName = "gate + limits, no headers";

const columns: readonly Column[] = [
  { heading: "  server", width: 29, side: "left" },
  { heading: "requests/s", width: 10, side: "right" },
  { heading: "quartiles", width: 15, side: "right" },
  { heading: "of bare", width: 8, side: "right" },
  { heading: "quartiles", width: 14, side: "right" },
  { heading: "min..max", width: 14, side: "right" },
  { heading: "p50 ms", width: 7, side: "right" },
  { heading: "p99 ms", width: 7, side: "right" },
  { heading: "server us", width: 9, side: "right" },
  { heading: "client busy", width: 11, side: "right" },
];

/** What our adapter costs a server. Prints a table and the figure that has a target. */
export async function runHttp(): Promise<void> {
  const isPinned = canPin();
  console.log(
    isPinned
      ? "servers on core 0, client on core 1 (taskset)"
      : "servers and client are not pinned to cores: taskset or a second core is missing",
  );
  console.log(`${ROUNDS} rounds, 32 keep-alive connections, 10 000 keys, one limit\n`);
  const measured = await measureHttp(isPinned);
  console.log(tableHead(columns));
  for (const [name, rounds] of measured) console.log(serverRow(measured, name, rounds));
  const { median, lowerQuartile, upperQuartile } = shareOfBare(measured, OURS);
  const measuredText = `${percent(median)} (${percent(lowerQuartile)}..${percent(upperQuartile)})`;
  const headline = {
    what: "requests/s with gate and limits, no headers, of a bare server",
    measured: measuredText,
    target: `>= ${percent(TARGET)}`,
    isMet: median >= TARGET,
  };
  console.log(`\n${headlineTable([headline])}`);
}

function serverRow(measured: HttpRounds, name: ServerName, rounds: readonly HttpRound[]): string {
  const perSecond = spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond));
  const share = shareOfBare(measured, name);
  const medianOf = (of: (round: HttpRound) => number) => spreadOf(rounds.map(of)).median;
  return tableRow(columns, [
    `  ${name}`,
    decimal(perSecond.median),
    `${decimal(perSecond.lowerQuartile)}..${decimal(perSecond.upperQuartile)}`,
    percent(share.median),
    `${percent(share.lowerQuartile)}..${percent(share.upperQuartile)}`,
    `${percent(share.min)}..${percent(share.max)}`,
    medianOf(({ p50Ms }) => p50Ms).toFixed(2),
    medianOf(({ p99Ms }) => p99Ms).toFixed(2),
    medianOf(({ serverUsPerRequest }) => serverUsPerRequest).toFixed(1),
    percent(medianOf(({ clientBusy }) => clientBusy)),
  ]);
}

/** Requests per second as a share of the bare server's of the same round. */
function shareOfBare(measured: HttpRounds, name: ServerName): Spread {
  const bare = measured.get(BARE) as readonly HttpRound[];
  const own = measured.get(name) as readonly HttpRound[];
  return spreadOf(
    own.map(({ requestsPerSecond }, round) => {
      return requestsPerSecond / (bare[round] as HttpRound).requestsPerSecond;
    }),
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
