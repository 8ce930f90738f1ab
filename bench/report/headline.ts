import { type Column, tableHead, tableRow } from "./table";

/** A figure that has a target. */
export interface Headline {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly isMet: boolean;
}

const columns: readonly Column[] = [
  { heading: "what has a target", width: 62, side: "left" },
  { heading: "measured", width: 34, side: "left" },
  { heading: "target", width: 24, side: "left" },
  { heading: "", width: 6, side: "left" },
];

/** The figures that have a target, and whether each is met. */
export function headlineTable(headlines: readonly Headline[]): string {
  const rows = headlines.map(({ what, measured, target, isMet }) =>
    tableRow(columns, [what, measured, target, isMet ? "ok" : "missed"]),
  );
  return [tableHead(columns), ...rows].join("\n");
}
