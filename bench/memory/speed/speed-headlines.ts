import type { Headline } from "../../report/headline";
import { decimal, ratio } from "../../report/number-text";
import { pairedRatio } from "../../report/paired-ratio";
import { spreadOf } from "../../report/spread";
import type { ContenderName } from "../contender/contenders";
import type { Cell } from "./cell";
import type { Rounds } from "./comparison";

interface Target {
  readonly what: string;
  readonly cell: Cell;
  readonly ours: ContenderName;
  readonly atLeast: number;
  readonly text: string;
}

const at = { keys: 10_000 } as const;
const three = { ...at, limits: 3, answer: "admitted" } as const;

const targets: readonly Target[] = [
  {
    what: "one awaited admit, 1 limit, beside consume",
    cell: { ...at, limits: 1, answer: "admitted" },
    ours: "sluice",
    atLeast: 1.2,
    text: ">= 1.2x (aim 2x)",
  },
  {
    what: "3 limits of one descriptor, beside three consumes",
    cell: three,
    ours: "sluice",
    atLeast: 3,
    text: ">= 3x",
  },
  {
    what: "3 descriptors with one limit each, beside three consumes",
    cell: three,
    ours: "sluice, a descriptor per limit",
    atLeast: 3,
    text: ">= 3x",
  },
  {
    what: "a rejection, 1 limit, beside its rejection",
    cell: { ...at, limits: 1, answer: "rejected" },
    ours: "sluice",
    atLeast: 3,
    text: ">= 3x",
  },
];

/** The speed targets, each by the median of the paired ratios to rate-limiter-flexible. */
export function speedHeadlines(roundsOf: (cell: Cell) => Rounds | undefined): Headline[] {
  return targets.flatMap(({ what, cell, ours, atLeast, text }) => {
    const rounds = roundsOf(cell);
    if (rounds === undefined) return [];
    const { median, lowerQuartile, upperQuartile } = pairedRatio(
      rounds,
      ours,
      "rate-limiter-flexible",
    );
    const ns = decimal(spreadOf(rounds.get(ours) as readonly number[]).median);
    const spread = `${ratio(lowerQuartile)}..${ratio(upperQuartile)}`;
    const measured = `${ratio(median)} (${spread}), ${ns} ns`;
    return [{ what, measured, target: text, isMet: median >= atLeast }];
  });
}
