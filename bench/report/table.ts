/** One column: its heading, its width, and the side on which its cells stand. */
export interface Column {
  readonly heading: string;
  readonly width: number;
  readonly side: "left" | "right";
}

/** The headings and the line below them. */
export function tableHead(columns: readonly Column[]): string {
  const head = tableRow(
    columns,
    columns.map(({ heading }) => heading),
  );
  return `${head}\n${"-".repeat(columns.reduce((sum, { width }) => sum + width + 2, -2))}`;
}

/** One row; a cell that is too long pushes the others aside. */
export function tableRow(columns: readonly Column[], cells: readonly string[]): string {
  return columns
    .map(({ width, side }, index) => {
      const cell = cells[index] ?? "";
      return side === "left" ? cell.padEnd(width) : cell.padStart(width);
    })
    .join("  ")
    .trimEnd();
}
