import { canPin } from "../process/pinning";
import { type Headline, headlineTable } from "../report/headline";
import { decimal } from "../report/number-text";
import { spreadOf } from "../report/spread";
import { type Column, tableHead, tableRow } from "../report/table";
import { addedUs, counterparts, httpHeadlines, percent, perSecondBeside } from "./http-headlines";
import { type HttpRound, type HttpRounds, measureHttp } from "./measure-http";
import { type Framework, peerOf, type Stack } from "./server-name";

const ROUNDS = 21;

const columns: readonly Column[] = [
  { heading: "  before the handler", width: 30, side: "left" },
  { heading: "requests/s", width: 10, side: "right" },
  { heading: "quartiles", width: 15, side: "right" },
  { heading: "of bare", width: 8, side: "right" },
  { heading: "quartiles", width: 16, side: "right" },
  { heading: "of peer", width: 8, side: "right" },
  { heading: "p50 ms", width: 7, side: "right" },
  { heading: "p99 ms", width: 7, side: "right" },
  { heading: "server us", width: 9, side: "right" },
  { heading: "added us", width: 8, side: "right" },
  { heading: "client busy", width: 11, side: "right" },
];

export interface HttpRun {
  readonly frameworks: readonly Framework[];
  /** How often each server is measured; undefined for the usual number. */
  readonly rounds: number | undefined;
}

/**
 * What our adapters cost a server, and what the usual peers of the frameworks do. Prints a table
 * per framework, and the figures that have a target.
 */
export async function runHttp({ frameworks, rounds = ROUNDS }: HttpRun): Promise<void> {
  const isPinned = canPin();
  console.log(
    isPinned
      ? "servers on core 0, client on core 1 (taskset)"
      : "servers and client are not pinned to cores: taskset or a second core is missing",
  );
  console.log(`${rounds} rounds, 32 keep-alive connections, 10 000 callers\n`);
  const headlines: Headline[] = [];
  for (const framework of frameworks) {
    const measured = await measureHttp(framework, { isPinned, rounds });
    console.log(frameworkTable(framework, measured));
    headlines.push(...httpHeadlines(framework, measured));
  }
  console.log(headlineTable(headlines));
}

function frameworkTable(framework: Framework, measured: HttpRounds): string {
  const peer = peerOf[framework];
  const title = peer === undefined ? framework : `${framework}; its peer is ${peer}`;
  const rows = [...measured].map(([stack, rounds]) => serverRow(measured, stack, rounds));
  return `${title}\n${tableHead(columns)}\n${rows.join("\n")}\n`;
}

function serverRow(measured: HttpRounds, stack: Stack, rounds: readonly HttpRound[]): string {
  const perSecond = spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond));
  const share = perSecondBeside(measured, stack, "bare");
  const other = counterparts.get(stack);
  const isCompared = other !== undefined && measured.has(other);
  const medianOf = (of: (round: HttpRound) => number) => spreadOf(rounds.map(of)).median;
  return tableRow(columns, [
    `  ${stack}`,
    decimal(perSecond.median),
    `${decimal(perSecond.lowerQuartile)}..${decimal(perSecond.upperQuartile)}`,
    percent(share.median),
    `${percent(share.lowerQuartile)}..${percent(share.upperQuartile)}`,
    isCompared ? percent(perSecondBeside(measured, stack, other).median) : "",
    medianOf(({ p50Ms }) => p50Ms).toFixed(2),
    medianOf(({ p99Ms }) => p99Ms).toFixed(2),
    medianOf(({ serverUsPerRequest }) => serverUsPerRequest).toFixed(1),
    addedUs(measured, stack).toFixed(1),
    percent(medianOf(({ clientBusy }) => clientBusy)),
  ]);
}
