import { readFileSync, writeFileSync } from "node:fs";
import {
  chartSvg,
  judge,
  overloadScenarios,
  readScenario,
  runScenario,
  type Scenario,
  summaryText,
} from "@sluice/testing";
import { judgementText } from "./accept";
import { limitOf } from "./limits";

/** What is shown, and of what. */
export interface ShowOptions {
  readonly limit: string;
  readonly seed: number;
  /** Where to write the chart; none if absent. */
  readonly svg: string | undefined;
}

/** Prints the scenarios that the command knows. */
export function listScenarios(): void {
  const width = Math.max(...overloadScenarios.map(({ name }) => name.length));
  for (const { name, title } of overloadScenarios) console.log(`${name.padEnd(width)}  ${title}`);
}

/**
 * The scenario of a published name, or of a JSON file.
 *
 * @throws Error if there is none; InvalidOptionsError if the file holds no scenario.
 */
function scenarioOf(name: string): Scenario {
  if (name.endsWith(".json")) return readScenario(jsonOf(name));
  const known = overloadScenarios.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return known;
  const names = overloadScenarios.map((each) => each.name).join(", ");
  throw new Error(`No scenario ${name}; there are ${names}, and JSON files that hold one`);
}

/** @throws Error that names the file, if it cannot be read or is no JSON. */
function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const message = error instanceof Error ? error.message : error;
    throw new Error(`${path}: ${message}`, { cause: error });
  }
}

/** Runs one scenario once and prints what came of it. */
export async function showScenario(name: string, options: ShowOptions): Promise<void> {
  const scenario = scenarioOf(name);
  const limit = await limitOf(options.limit);
  const measured = runScenario(scenario, { limit, seed: options.seed });
  console.log(`${scenario.name}: ${scenario.title}`);
  console.log(`limit ${options.limit}, seed ${options.seed}\n`);
  console.log(summaryText(measured));
  const judgements = judge([measured]);
  if (judgements.length > 0) console.log("\nexpected, with the slack of each bound:");
  for (const each of judgements) console.log(`  ${judgementText(each)}`);
  if (options.svg === undefined) return;
  writeFileSync(options.svg, chartSvg(measured));
  console.log(`\nchart: ${options.svg}`);
}
