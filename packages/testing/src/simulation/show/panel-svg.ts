import { niceTicks } from "./nice-ticks";

/** One line of a panel: a value per point, `NaN` where there is none. */
export interface PanelLine {
  readonly label: string;
  readonly color: string;
  readonly values: readonly number[];
}

/** One panel of a chart. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly PanelLine[];
}

/** Where a panel stands, in pixels. */
export interface PanelPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Draws axes, grid, legend and lines of a panel. Its points are evenly spread over its width. */
export function panelSvg({ title, lines }: Panel, place: PanelPlace): string {
  const { left, top, width, height } = place;
  const known = lines.flatMap((line) => line.values.filter((value) => Number.isFinite(value)));
  const ticks = niceTicks(
    known.reduce((max, value) => Math.max(max, value), 0),
    4,
  );
  const highest = ticks.at(-1) ?? 1;
  const y = (value: number) => top + height - (value / highest) * height;
  const grid = ticks.map(
    (tick) =>
      `<line x1="${left}" x2="${left + width}" y1="${round(y(tick))}" y2="${round(y(tick))}" ` +
      `stroke="#ddd"/>` +
      `<text x="${left - 8}" y="${round(y(tick) + 4)}" text-anchor="end">${tick}</text>`,
  );
  const legend = lines.map(({ label, color }, index) => {
    const x = left + width - 130 * (lines.length - index);
    return (
      `<line x1="${x}" x2="${x + 18}" y1="${top - 11}" y2="${top - 11}" stroke="${color}" ` +
      `stroke-width="2"/><text x="${x + 24}" y="${top - 7}">${escaped(label)}</text>`
    );
  });
  const heading = `<text x="${left}" y="${top - 7}" font-weight="bold">${escaped(title)}</text>`;
  const paths = lines.map(
    ({ color, values }) =>
      `<path d="${pathOf(values, (index) => left + ((index + 0.5) * width) / values.length, y)}" ` +
      `fill="none" stroke="${color}" stroke-width="1.5"/>`,
  );
  return [heading, ...legend, ...grid, ...paths].join("\n");
}

/** A line with gaps where there is no value; a lone point becomes a short dash. */
function pathOf(
  values: readonly number[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = "";
  let isDown = false;
  for (const [index, value] of values.entries()) {
    if (Number.isFinite(value)) {
      const at = `${round(x(index))} ${round(y(value))}`;
      path += isDown ? `L${at}` : `M${at}h0.5`;
      isDown = true;
    } else {
      isDown = false;
    }
  }
  return path;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Text that may stand in an element or an attribute. */
export function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  return text.replace(/[&<>"]/g, (character) => `&${names[character]};`);
}
