import type { Row } from "./row";
import type { Scenario } from "./scenario";

const WIDTHS = [44, 44, 44] as const;
const INDENT = "   ";

/** The line above the rows. */
export function tableHead(): string {
  const head = lines(["what", "measured", "expected, with its tolerance"], "ok");
  return `${head}\n${"-".repeat(head.length)}`;
}

/** The rows of one scenario under its title. */
export function tablePart(scenario: Scenario, rows: readonly Row[]): string {
  const { letter, title, scale } = scenario;
  const table = rows.map((row) => lines([row.what, row.measured, row.expected], mark(row)));
  return [`${letter}. ${title}`, `${INDENT}(scale: ${scale})`, ...table, ""].join("\n");
}

/** One line for all letters: whether all rows of each are as expected. */
export function summary(rowsByLetter: ReadonlyMap<string, readonly Row[]>): string {
  return [...rowsByLetter]
    .map(([letter, rows]) => `${letter} ${rows.every(isAsExpected) ? "ok" : "FAILED"}`)
    .join("   ");
}

/** False only for a row that was judged and failed. */
export function isAsExpected(row: Row): boolean {
  return row.isOk !== false;
}

function mark(row: Row): string {
  if (row.isOk === undefined) return "-";
  return row.isOk ? "ok" : "FAILED";
}

/** Cells side by side; a long one goes on below itself. */
function lines(cells: readonly string[], mark: string): string {
  const columns = cells.map((cell, index) => pieces(cell, WIDTHS[index] as number));
  const height = Math.max(...columns.map((column) => column.length));
  return Array.from({ length: height }, (_, at) => {
    const texts = columns.map((column, index) =>
      (column[at] ?? "").padEnd(WIDTHS[index] as number),
    );
    return `${INDENT}${texts.join("  ")}  ${at === 0 ? mark : ""}`.trimEnd();
  }).join("\n");
}

/** Cuts at spaces where it can. */
function pieces(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const space = text.lastIndexOf(" ", width);
  const cut = space > width / 2 ? space : width;
  return [text.slice(0, cut), ...pieces(text.slice(cut).trimStart(), width)];
}
