import type { Measurements } from "../measure/measurements";
import type { PhaseSummary } from "../measure/phase-summary";
import { numberText, percentText } from "./number-text";

type Column = readonly [string, (summary: PhaseSummary) => string];

const seconds = (ms: number) => String(ms / 1_000);

const columns: readonly Column[] = [
  ["phase", (each) => each.phase],
  ["s", (each) => `${seconds(each.fromMs)}-${seconds(each.toMs)}`],
  ["limit", (each) => numberText(each.meanLimit)],
  ["in flight", (each) => numberText(each.meanInFlight)],
  ["busy", (each) => numberText(each.meanBusy)],
  ["offered/s", (each) => numberText(each.offered)],
  ["goodput/s", (each) => numberText(each.goodput)],
  ["rejected", (each) => percentText(each.rejectedShare)],
  ["timed out/s", (each) => numberText(each.timedOut)],
  ["p50 ms", (each) => numberText(each.p50Ms)],
  ["p99 ms", (each) => numberText(each.p99Ms)],
  ["p99max ms", (each) => numberText(each.p99MaxMs)],
];

const streamColumns: readonly Column[] = [
  ["1st byte p50", (each) => numberText(each.firstByteP50Ms)],
  ["1st byte p99", (each) => numberText(each.firstByteP99Ms)],
];

/**
 * The phases of a run as a table of text: limits, requests in flight and busy slots as means over
 * time, rates per second, latencies of what was answered. Sources that have numbers of their own
 * follow, each phase of each. Pure; never throws.
 */
export function summaryText(measurements: Measurements): string {
  const isStream = measurements.scenario.server.firstByte !== undefined;
  const shown = isStream ? [...columns, ...streamColumns] : columns;
  const rows = (source?: string) =>
    measurements
      .summary(source)
      .map((each) => shown.map(([, textOf]) => textOf(each)))
      .map(([first = "", ...rest]) => [
        source === undefined ? first : `${first} | ${source}`,
        ...rest,
      ]);
  const all = [rows(), ...measurements.sources.map(rows)].flat();
  return aligned([shown.map(([title]) => title), ...all]);
}

/** Columns of equal width, the first to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]) =>
    row.map((text, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? text.padEnd(width) : text.padStart(width);
    });
  return rows.map((row) => line(row).join("  ").trimEnd()).join("\n");
}
