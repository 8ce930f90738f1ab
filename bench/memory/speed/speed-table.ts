import { decimal, ratio } from "../../report/number-text";
import { pairedRatio } from "../../report/paired-ratio";
import { spreadOf } from "../../report/spread";
import { type Column, tableHead, tableRow } from "../../report/table";
import type { Cell } from "./cell";
import type { Rounds } from "./comparison";

const columns: readonly Column[] = [
  { heading: "  limiter", width: 38, side: "left" },
  { heading: "verdicts/s", width: 11, side: "right" },
  { heading: "ns/verdict", width: 10, side: "right" },
  { heading: "quartiles", width: 15, side: "right" },
  { heading: "min..max", width: 15, side: "right" },
  { heading: "of floor", width: 9, side: "right" },
  { heading: "of sluice", width: 9, side: "right" },
  { heading: "quartiles", width: 13, side: "right" },
];

/** One cell: a row per contender. */
export function cellTable({ keys, limits, answer }: Cell, rounds: Rounds): string {
  const count = [...rounds.values()][0]?.length ?? 0;
  const title = `${decimal(keys)} key${keys === 1 ? "" : "s"}, ${limits} limit${
    limits === 1 ? "" : "s"
  }, ${answer} (${count} rounds)`;
  const rows = [...rounds].map(([name, ns]) => {
    const { min, lowerQuartile, median, upperQuartile, max } = spreadOf(ns);
    const ofUs = pairedRatio(rounds, "sluice", name);
    return tableRow(columns, [
      `  ${name}`,
      decimal(1e9 / median),
      decimal(median),
      `${decimal(lowerQuartile)}..${decimal(upperQuartile)}`,
      `${decimal(min)}..${decimal(max)}`,
      ratio(pairedRatio(rounds, "floor", name).median),
      ratio(ofUs.median),
      `${ratio(ofUs.lowerQuartile)}..${ratio(ofUs.upperQuartile)}`,
    ]);
  });
  return [title, tableHead(columns), ...rows, ""].join("\n");
}
