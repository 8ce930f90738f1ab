import type { Measurements, SecondRow } from "../measure/measurements";
import { niceTicks } from "./nice-ticks";
import { escaped, type Panel, panelSvg } from "./panel-svg";

/** More points than pixels show nothing. */
const POINTS_MAX = 700;
const WIDTH = 900;
const LEFT = 70;
const PLOT_WIDTH = 800;
const PANEL_HEIGHT = 130;
const PANEL_DISTANCE = 185;
const FIRST_TOP = 90;

/** Blue, vermilion, green: told apart also by those who see few colours (Okabe and Ito, 2008). */
const blue = "#0072b2";
const red = "#d55e00";
const green = "#009e73";

/**
 * A run as an SVG picture, four panels over one line of time: the limit; what is in flight, beside
 * the busy slots of the server; latency of what was answered; and rates per second of what was
 * offered, answered and refused. Long runs are drawn as means of several seconds. Pure; never
 * throws.
 */
export function chartSvg(measurements: Measurements): string {
  const { scenario } = measurements;
  const perPoint = Math.ceil(scenario.durationMs / 1_000 / POINTS_MAX);
  const points = pointsOf(measurements.seconds(), perPoint);
  const panels = panelsOf(points);
  const bottom = FIRST_TOP + PANEL_DISTANCE * (panels.length - 1) + PANEL_HEIGHT;
  const drawn = panels.map((panel, index) => {
    const top = FIRST_TOP + PANEL_DISTANCE * index;
    return panelSvg(panel, { left: LEFT, top, width: PLOT_WIDTH, height: PANEL_HEIGHT });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${bottom + 55}" ` +
      `viewBox="0 0 ${WIDTH} ${bottom + 55}" font-family="sans-serif" font-size="12" fill="#222">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${LEFT}" y="28" font-size="15" font-weight="bold">` +
      `${escaped(`${scenario.name}: ${scenario.title}`)}</text>`,
    phaseBands(measurements, bottom),
    ...drawn,
    timeAxis(scenario.durationMs / 1_000, bottom),
    "</svg>\n",
  ].join("\n");
}

function panelsOf(points: readonly SecondRow[]): readonly Panel[] {
  const line = (label: string, color: string, key: keyof SecondRow) => ({
    label,
    color,
    values: points.map((point) => point[key]),
  });
  return [
    { title: "limit", lines: [line("limit", blue, "limit")] },
    {
      title: "in flight",
      lines: [line("in flight", blue, "inFlight"), line("busy slots", green, "busy")],
    },
    { title: "latency, ms", lines: [line("p50", blue, "p50Ms"), line("p99", red, "p99Ms")] },
    {
      title: "per second",
      lines: [
        line("offered", blue, "offered"),
        line("answered", green, "goodput"),
        line("refused", red, "rejected"),
      ],
    },
  ];
}

/** Several seconds as one point: means; of p99 the greatest. */
function pointsOf(rows: readonly SecondRow[], perPoint: number): readonly SecondRow[] {
  if (perPoint === 1) return rows;
  const starts = rows.map((_, index) => index).filter((index) => index % perPoint === 0);
  return starts.map((start) => {
    const part = rows.slice(start, start + perPoint);
    const keys = Object.keys(part[0] ?? {}) as (keyof SecondRow)[];
    const combined = keys.map((key) => {
      const known = part.map((row) => row[key]).filter((value) => !Number.isNaN(value));
      if (known.length === 0) return [key, Number.NaN];
      return [key, key === "p99Ms" ? Math.max(...known) : mean(known)];
    });
    return Object.fromEntries(combined) as SecondRow;
  });
}

function phaseBands({ scenario }: Measurements, bottom: number): string {
  const x = (ms: number) => LEFT + (ms / scenario.durationMs) * PLOT_WIDTH;
  return scenario.phases
    .map(({ name, fromMs, toMs }, index) => {
      // Phases may overlap, so that neighbours have their names on different heights.
      const y = index % 2 === 0 ? 48 : 62;
      return (
        `<rect x="${x(fromMs)}" y="68" width="${x(toMs) - x(fromMs)}" height="${bottom - 68}" ` +
        `fill="${blue}" fill-opacity="0.05"/>` +
        `<line x1="${x(fromMs)}" x2="${x(fromMs)}" y1="68" y2="${bottom}" stroke="${blue}" ` +
        `stroke-opacity="0.4" stroke-dasharray="3 3"/>` +
        `<text x="${x(fromMs)}" y="${y}" fill="#666">${escaped(name)}</text>`
      );
    })
    .join("\n");
}

function timeAxis(durationS: number, bottom: number): string {
  const ticks = niceTicks(durationS, 10).filter((tick) => tick <= durationS);
  const marks = ticks.map((tick) => {
    const x = LEFT + (tick / durationS) * PLOT_WIDTH;
    return (
      `<line x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 5}" stroke="#222"/>` +
      `<text x="${x}" y="${bottom + 20}" text-anchor="middle">${tick}</text>`
    );
  });
  const label = `<text x="${LEFT + PLOT_WIDTH / 2}" y="${bottom + 40}" text-anchor="middle">`;
  return [...marks, `${label}seconds</text>`].join("\n");
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
