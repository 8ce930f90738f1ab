import type { Headline } from "../../report/headline";
import type { Cell } from "./cell";
import { allGroups, type Group } from "./cells";
import { Comparison, type Rounds } from "./comparison";
import { speedHeadlines } from "./speed-headlines";
import { cellTable } from "./speed-table";

/** Verdicts per second: prints a table per cell, returns the figures that have a target. */
export async function runSpeed(): Promise<Headline[]> {
  const measured = new Map<string, Rounds>();
  for (const group of allGroups()) {
    for (const [cell, rounds] of await measureGroup(group)) {
      measured.set(nameOf(cell), rounds);
      console.log(cellTable(cell, rounds));
    }
  }
  return speedHeadlines((cell) => measured.get(nameOf(cell)));
}

async function measureGroup(group: Group): Promise<ReadonlyMap<Cell, Rounds>> {
  const { keys, limits, contenders, rounds } = group;
  const comparison = await Comparison.start(contenders.admitted, { keys, limits });
  try {
    const cells = new Map<Cell, Rounds>();
    for (const answer of ["admitted", "rejected"] as const) {
      const cell = { keys, limits, answer };
      cells.set(cell, await comparison.measure(contenders[answer], answer, rounds));
    }
    return cells;
  } finally {
    await comparison.stop();
  }
}

function nameOf({ keys, limits, answer }: Cell): string {
  return `${keys} ${limits} ${answer}`;
}
