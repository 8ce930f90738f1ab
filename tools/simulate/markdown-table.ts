/** Rows as a table of Markdown; the first is its heading. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [heading = [], ...rest] = rows;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heading), `|${heading.map(() => "---").join("|")}|`, ...rest.map(line)].join("\n");
}
