import { decimal, ratio } from "../report/number-text";
import { pairedRatio } from "../report/paired-ratio";
import { spreadOf } from "../report/spread";
import { type Column, tableHead, tableRow } from "../report/table";
import type { Cell, Round } from "./cell";
import { libraries } from "./client/open-client";
import type { Rounds } from "./comparison";
import { nameOf } from "./contender/contenders";

const columns: readonly Column[] = [
  { heading: "  limiter, client", width: 32, side: "left" },
  { heading: "verdicts/s", width: 10, side: "right" },
  { heading: "us each", width: 8, side: "right" },
  { heading: "quartiles", width: 15, side: "right" },
  { heading: "of sluice", width: 9, side: "right" },
  { heading: "quartiles", width: 13, side: "right" },
  { heading: "client us", width: 9, side: "right" },
  { heading: "server us", width: 9, side: "right" },
  { heading: "in command", width: 10, side: "right" },
  { heading: "of sluice", width: 9, side: "right" },
];

/** What of a round is compared. */
type Measure = (round: Round) => number;

/** Time on the wall. */
export const onTheWall: Measure = ({ wallUs }) => wallUs;

/** Processor time of both processes. */
export const ofBothProcesses: Measure = ({ clientUs, serverUs }) => clientUs + serverUs;

/** One measure of all contenders, round by round. */
export function measuresOf(rounds: Rounds, measure: Measure): ReadonlyMap<string, number[]> {
  return new Map([...rounds].map(([name, own]) => [name, own.map(measure)]));
}

/** One cell: a row per contender, beside ours on the same client library. */
export function cellTable({ keys, limits, inFlight }: Cell, rounds: Rounds): string {
  const count = [...rounds.values()][0]?.length ?? 0;
  const title = `${decimal(keys)} key${keys === 1 ? "" : "s"}, ${limits} limit${
    limits === 1 ? "" : "s"
  }, ${inFlight} in flight (${count} rounds)`;
  const rows = [...rounds].map(([name, own]) => cellRow(rounds, name, own));
  return [title, tableHead(columns), ...rows, ""].join("\n");
}

function cellRow(rounds: Rounds, name: string, own: readonly Round[]): string {
  const medianOf = (measure: Measure) => spreadOf(own.map(measure)).median;
  const { median, lowerQuartile, upperQuartile } = spreadOf(own.map(onTheWall));
  const library = libraries.find((each) => name.endsWith(`, ${each}`)) ?? "ioredis";
  const ours = nameOf({ subject: "sluice", library });
  const ofUs = pairedRatio(measuresOf(rounds, onTheWall), ours, name);
  return tableRow(columns, [
    `  ${name}`,
    decimal(1e6 / median),
    median.toFixed(1),
    `${lowerQuartile.toFixed(1)}..${upperQuartile.toFixed(1)}`,
    ratio(ofUs.median),
    `${ratio(ofUs.lowerQuartile)}..${ratio(ofUs.upperQuartile)}`,
    medianOf(({ clientUs }) => clientUs).toFixed(1),
    medianOf(({ serverUs }) => serverUs).toFixed(1),
    medianOf(({ commandUs }) => commandUs).toFixed(1),
    ratio(pairedRatio(measuresOf(rounds, ofBothProcesses), ours, name).median),
  ]);
}
