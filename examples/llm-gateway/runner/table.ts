import type { AdapterName } from "../gateway/adapter/adapter-name";
import type { Part } from "./plan";
import type { Row } from "./row";
import type { Scenario } from "./scenario";

/** What one run of a scenario measured. */
export interface Column {
  readonly part: Part;
  readonly rows: readonly Row[];
}

const WHAT_WIDTH = 40;
const EXPECTED_WIDTH = 38;
/**
 * Of what is measured through one adapter, and of what is the same through all or measured once.
 */
const CELL_WIDTH = 15;
const WIDE_CELL_WIDTH = 44;
const INDENT = "   ";
const GAP = "  ";

/** Measured beside expected: lines of text, with a column for each adapter of the run. */
export class Table {
  readonly #adapters: readonly AdapterName[];
  readonly #wideCellWidth: number;

  constructor(adapters: readonly AdapterName[]) {
    this.#adapters = adapters;
    const besides = adapters.length * CELL_WIDTH + (adapters.length - 1) * GAP.length;
    this.#wideCellWidth = Math.max(WIDE_CELL_WIDTH, besides);
  }

  /** The line above the rows. */
  head(): string {
    const names = this.#adapters.length === 1 ? ["measured"] : this.#adapters;
    const head = this.#line("what", names, "expected, with its tolerance", "ok");
    return `${head}\n${"-".repeat(head.length)}`;
  }

  /** The rows of one scenario under its title. */
  part({ letter, title, scale }: Scenario, columns: readonly Column[]): string {
    const through = throughText(columns);
    const lines = rowsBesides(columns).map((row) => {
      return this.#line(row.what, this.#cells(row.measured), row.expected, mark(row, columns));
    });
    return [`${letter}. ${title}`, `${INDENT}(${through}scale: ${scale})`, ...lines, ""].join("\n");
  }

  /** One line for all letters: whether all rows of each are as expected. */
  summary(columnsByLetter: ReadonlyMap<string, readonly Column[]>): string {
    return [...columnsByLetter]
      .map(([letter, columns]) => {
        const isOk = columns.every(({ rows }) => rows.every(isAsExpected));
        return `${letter} ${isOk ? "ok" : "FAILED"}`;
      })
      .join("   ");
  }

  /** One cell for all if they say the same and more than a narrow one can hold. */
  #cells(measured: readonly string[]): readonly string[] {
    const [first = "", ...others] = measured;
    const isSame = others.every((text) => text === first);
    return isSame && (others.length === 0 || first.length > CELL_WIDTH) ? [first] : measured;
  }

  /** Cells side by side; a long one goes on below itself. */
  #line(what: string, cells: readonly string[], expected: string, mark: string): string {
    const width = cells.length === 1 ? this.#wideCellWidth : CELL_WIDTH;
    const measured = wrapped(cells, width).map((line) => line.padEnd(this.#wideCellWidth));
    const columns = [wrapped([what], WHAT_WIDTH), measured, wrapped([expected], EXPECTED_WIDTH)];
    const widths = [WHAT_WIDTH, this.#wideCellWidth, EXPECTED_WIDTH];
    const height = Math.max(...columns.map((column) => column.length));
    return Array.from({ length: height }, (_, at) => {
      const texts = columns.map((column, index) => (column[at] ?? "").padEnd(widths[index] ?? 0));
      return `${INDENT}${texts.join(GAP)}${GAP}${at === 0 ? mark : ""}`.trimEnd();
    }).join("\n");
  }
}

/** False only for a row that was judged and failed. */
export function isAsExpected(row: Row): boolean {
  return row.isOk !== false;
}

/** One row as all columns measured it. */
interface RowBesides {
  readonly what: string;
  readonly expected: string;
  readonly measured: readonly string[];
  readonly isOk: readonly (boolean | undefined)[];
}

function rowsBesides(columns: readonly Column[]): readonly RowBesides[] {
  const [first] = columns;
  return (first?.rows ?? []).map(({ what, expected }, index) => {
    const rows = columns.map((column) => column.rows[index]);
    const isOne = rows.every((row) => row?.what === what && row.expected === expected);
    if (!isOne) throw new Error(`The adapters have different rows at "${what}"`);
    return {
      what,
      expected,
      measured: rows.map((row) => row?.measured ?? ""),
      isOk: rows.map((row) => row?.isOk),
    };
  });
}

function mark({ isOk }: RowBesides, columns: readonly Column[]): string {
  const failed = columns.filter((_, index) => isOk[index] === false);
  if (failed.length === 0) return isOk.includes(true) ? "ok" : "-";
  const names = columns.length === 1 ? [] : failed.map(({ part }) => part.lane);
  return ["FAILED", ...names].join(" ");
}

/** Which adapters a scenario was run through, if it has no column for each. */
function throughText(columns: readonly Column[]): string {
  const [alone, ...others] = columns;
  if (alone === undefined || others.length > 0) return "";
  const adapters = alone.part.gateways.map(({ adapter }) => adapter);
  return `through ${[...new Set(adapters)].join(", ")}; `;
}

/** The lines that cells side by side need. */
function wrapped(cells: readonly string[], width: number): readonly string[] {
  const columns = cells.map((cell) => pieces(cell, width));
  const height = Math.max(...columns.map((column) => column.length));
  return Array.from({ length: height }, (_, at) => {
    return columns.map((column) => (column[at] ?? "").padEnd(width)).join(GAP);
  });
}

/** Cuts at spaces where it can. */
function pieces(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const space = text.lastIndexOf(" ", width);
  const cut = space > width / 2 ? space : width;
  return [text.slice(0, cut), ...pieces(text.slice(cut).trimStart(), width)];
}
