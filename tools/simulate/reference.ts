import type { PhaseMeasure } from "@sluice/testing";

/**
 * Numbers that another simulator, written before in another language, has measured of the
 * same scenarios with the same algorithms (means of three seeds). To see whether this one is right.
 */
export interface ReferenceRow {
  readonly scenario: string;
  readonly phase: string;
  readonly measure: PhaseMeasure;
  /** By limit. */
  readonly values: Readonly<Record<string, number>>;
}

type Cells = readonly (number | undefined)[];

/** The limits of which there are numbers. */
export const referenceNames: readonly string[] = [
  "aimd",
  "vegas",
  "vegas-window",
  "gradient2",
  "gradient2-window",
  "gradient",
];

function row(scenario: string, phase: string, measure: PhaseMeasure, cells: Cells): ReferenceRow {
  const known = cells.flatMap((value, index) =>
    value === undefined ? [] : [[referenceNames[index] as string, value] as const],
  );
  return { scenario, phase, measure, values: Object.fromEntries(known) };
}

/** In the order of {@link referenceNames}. */
export const reference: readonly ReferenceRow[] = [
  row("A", "overload", "meanLimit", [68, 20, 8, 199, 12, 44]),
  row("A", "overload", "goodput", [76.8, 76.2, 49.1, 80, 68.3, 70.4]),
  row("A", "overload", "p99MaxMs", [1_469, 358, 196, 2_543, 219, 567]),
  row("B", "halved", "meanLimit", [82, 14, 12, 189, 18, 11]),
  row("B", "halved", "goodput", [119.2, 119.6, 119.9, 120, 119.9, 117.7]),
  row("B", "halved", "p99MaxMs", [1_670, 222, 181, 1_690, 178, 208]),
  row("D", "first 5 min", "meanLimit", [87, 22, 21, 200, 49, 47]),
  row("D", "last 5 min", "meanLimit", [102, 21, 21, 200, 128, 43]),
  row("D", "last 5 min", "p99MaxMs", [1_391, 291, 295, 2_035, 1_606, 487]),
  row("E", "first minute", "rejected", [0, 0.9, 41, 0.7, 33.9, 8.6]),
  row("E", "1 to 4 min", "rejected", [0, 0.2, 6.9, 0, 12.2, 6.5]),
  row("E", "later", "rejected", [0, 0.4, 0, 0, 0, 5.3]),
  row("F", "first 30 s", "goodput", [327, 115, 167, 325, 60, 235]),
  row("F", "30 to 60 s", "goodput", [346, 124, 314, 346, 108, 351]),
  row("F", "from 60 s", "goodput", [349, 118, 350, 349, 224, 299]),
  row("G", "blip", "goodput", [16, undefined, 33, 13, 21, 14]),
  row("G", "80 to 120 s", "goodput", [90, undefined, 89, 0, 89, 87]),
  row("G", "from 100 s", "goodput", [89, undefined, 90, 0, 89, 87]),
  row("H", "end of hang", "meanLimit", [5, 1, 24, 200, 11, 1_000]),
  row("H", "after", "goodput", [93, 98, 89, 95, 90, 69]),
  row("L", "all", "rejected", [undefined, 0.9, 0, undefined, 0, 4.1]),
  row("S2", "around 1500 s", "firstByteP50Ms", [
    undefined,
    3_100,
    6_600,
    undefined,
    undefined,
    800,
  ]),
  row("S2", "around 1500 s", "firstByteP99Ms", [
    undefined,
    6_300,
    8_300,
    undefined,
    undefined,
    9_000,
  ]),
];
