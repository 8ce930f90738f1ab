import { Children } from "../process/children";
import { partsOf } from "./plan";
import type { Row } from "./row";
import type { Scenario } from "./scenario";
import { type ReadyPart, type RunOptions, setUp } from "./set-up";
import { type Column, isAsExpected, Table } from "./table";

/** Runs the scenarios one by one and prints their rows. True if every row is as expected. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<boolean> {
  const children = new Children();
  const table = new Table(options.adapters);
  const columnsByLetter = new Map<string, readonly Column[]>();
  try {
    const setUpSeconds = stopwatch();
    const planned = scenarios.flatMap((scenario) => partsOf(scenario, options.adapters));
    const parts = await setUp(children, planned, options);
    console.log(`Set up: ${children.count} processes, warmed up, in ${setUpSeconds()} s.\n`);
    const runSeconds = stopwatch();
    console.log(table.head());
    for (const scenario of scenarios) {
      const own = parts.filter((part) => part.scenario === scenario);
      const columns = await playAll(own, children, scenario.adapters === "side by side");
      columnsByLetter.set(scenario.letter, columns);
      console.log(table.part(scenario, columns));
    }
    console.log(`${table.summary(columnsByLetter)}   (${runSeconds()} s after set-up)`);
  } finally {
    await children.stopAll();
  }
  return [...columnsByLetter.values()].flat().every(({ rows }) => rows.every(isAsExpected));
}

/** The parts of one scenario, all at once or one after the other. */
async function playAll(
  parts: readonly ReadyPart[],
  children: Children,
  isAtOnce: boolean,
): Promise<readonly Column[]> {
  const columns: Promise<Column>[] = [];
  for (const part of parts) {
    const column = play(part, children).then((rows) => ({ part, rows }));
    columns.push(column);
    if (!isAtOnce) await column;
  }
  return Promise.all(columns);
}

async function play(
  { scenario, upstream, load, prober, servers, isApart }: ReadyPart,
  children: Children,
): Promise<readonly Row[]> {
  await upstream.reset();
  const ports = servers.map(({ port }) => port);
  const crash = async (place: number) => {
    const server = servers[place];
    if (server === undefined || !isApart) throw new Error(`No process of its own at ${place}`);
    await children.kill(server.child);
  };
  const rows = await scenario.run({ ports, upstream, load, prober, crash });
  if (isApart) await Promise.all(servers.map(({ child }) => children.stop(child)));
  return rows;
}

/** Reads the seconds since it was made. */
function stopwatch(): () => string {
  const startedMs = performance.now();
  return () => ((performance.now() - startedMs) / 1000).toFixed(1);
}
