/** The time-out of a store by default: the budget of every call. */
const BUDGET_MS = 100;

/** Deadlines are looked at every 10 ms, and of stalls below 2 ms the probe sees nothing. */
export const DECIDED_WITHIN_MS = BUDGET_MS + 10 + 15;

/** What was seen of one fault with one client. */
export interface FaultRow {
  /** Its number: `F3`. */
  readonly row: string;
  readonly scenario: string;
  readonly client: string;
  /** The longest that a verdict took, in milliseconds, apart from stalls of the event loop. */
  readonly worstMs?: number;
  readonly policy?: string;
  /** How many units more were admitted than should have been. */
  readonly overAdmission?: number | string;
  readonly slotsBack?: string;
  /** From the end of the fault, or as the text says. */
  readonly recovery?: number | string;
}

const HEAD = [
  "row",
  "scenario",
  "client",
  "decided within the deadline? (worst ms)",
  "policy applied?",
  "over-admission",
  "slots back",
  "recovery time",
];

/** The table of a group of faults, printed when its tests have ended. */
export class FaultTable {
  readonly #title: string;
  readonly #rows: FaultRow[] = [];

  constructor(title: string) {
    this.#title = title;
  }

  add(row: FaultRow): void {
    this.#rows.push(row);
  }

  /** The worst of all rows; for what the operations page says. */
  print(): void {
    const byNumber = (a: FaultRow, b: FaultRow) => Number(a.row.slice(1)) - Number(b.row.slice(1));
    const rows = [HEAD, ...[...this.#rows].sort(byNumber).map(cellsOf)];
    const widths = HEAD.map((_, column) =>
      Math.max(...rows.map((row) => row[column]?.length ?? 0)),
    );
    const lines = rows.map(
      (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`,
    );
    lines.splice(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
    process.stdout.write(`\n${this.#title}\n\n${lines.join("\n")}\n`);
  }
}

function cellsOf(row: FaultRow): string[] {
  const { worstMs, recovery } = row;
  const isInTime = worstMs !== undefined && worstMs <= DECIDED_WITHIN_MS;
  return [
    row.row,
    row.scenario,
    row.client,
    worstMs === undefined ? "-" : `${isInTime ? "yes" : "no"} (${worstMs.toFixed(1)})`,
    row.policy ?? "-",
    String(row.overAdmission ?? "-"),
    row.slotsBack ?? "-",
    typeof recovery === "number" ? `${Math.round(recovery)} ms` : (recovery ?? "-"),
  ];
}
