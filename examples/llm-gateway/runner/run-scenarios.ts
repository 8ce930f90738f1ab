import { Children } from "../process/children";
import type { Row } from "./row";
import type { Scenario } from "./scenario";
import { type Processes, type RunOptions, setUp } from "./set-up";
import type { RunningServer } from "./start-server";
import { isAsExpected, summary, tableHead, tablePart } from "./table";

/** Runs the scenarios one by one and prints their rows. True if every row is as expected. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<boolean> {
  const children = new Children();
  const rowsByLetter = new Map<string, readonly Row[]>();
  try {
    const setUpSeconds = stopwatch();
    const processes = await setUp(children, scenarios, options);
    console.log(`Set up: ${children.count} processes, warmed up, in ${setUpSeconds()} s.\n`);
    const runSeconds = stopwatch();
    console.log(tableHead());
    for (const scenario of scenarios) {
      const rows = await play(scenario, children, processes);
      rowsByLetter.set(scenario.letter, rows);
      console.log(tablePart(scenario, rows));
    }
    console.log(`${summary(rowsByLetter)}   (${runSeconds()} s after set-up)`);
  } finally {
    await children.stopAll();
  }
  return [...rowsByLetter.values()].flat().every(isAsExpected);
}

async function play(
  scenario: Scenario,
  children: Children,
  { upstream, load, prober, gateways }: Processes,
): Promise<readonly Row[]> {
  const own = gateways.get(scenario) ?? [];
  await upstream.reset();
  const ports = own.map(({ port }) => port);
  const crash = (place: number) => children.kill((own[place] as RunningServer).child);
  const rows = await scenario.run({ ports, upstream, load, prober, crash });
  await Promise.all(own.map(({ child }) => children.stop(child)));
  return rows;
}

/** Reads the seconds since it was made. */
function stopwatch(): () => string {
  const startedMs = performance.now();
  return () => ((performance.now() - startedMs) / 1000).toFixed(1);
}
